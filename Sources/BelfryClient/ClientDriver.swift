import EventLoops
import TLS
import WebSocketCodec
import WireProtocol

/// Carries out a session's actions: it runs the connection, the timers and the token provider, and resumes the app's
/// continuations.
///
/// Confined to the queue of `loop`, except `mailbox`, which it shares with the consumer's task.
final class ClientDriver: ClientConnectionDelegate, @unchecked Sendable {
    typealias Completion = @Sendable (Result<[UInt8], BelfryError>) -> Void

    let loop: EventLoop
    let mailbox: Mailbox
    private let configuration: BelfryClient.Configuration
    /// In the order in which to try them.
    private let addresses: [ServerAddress]
    /// The trust for TLS; nil without TLS.
    private let trust: TLSTrust?
    private let started = ContinuousClock.now
    private var session: ClientSession
    private var connection: ClientConnection?
    private var completions: [CallID: Completion] = [:]
    private var observers: [UInt64: AsyncStream<ConnectionState>.Continuation] = [:]
    private var state = ConnectionState.disconnected(.client)
    private var tokenTask: Task<Void, Never>?
    private var timer: TimerToken?
    private var timerDeadline: Int64?
    private var reconnectTimer: TimerToken?
    /// The number of attempts.
    private var opened = 0
    /// The number of attempts per address, used to rotate through a host name's IP addresses.
    private var openedOfAddress: [Int]
    private var isReadingPaused = false
    /// Actions to execute. An action that calls back into `perform` appends its own.
    private var queue: [ClientSession.Action] = []
    private var isPerforming = false

    init(_ configuration: BelfryClient.Configuration, addresses: [ServerAddress], trust: TLSTrust?, loop: EventLoop) {
        self.configuration = configuration
        self.addresses = addresses
        openedOfAddress = addresses.map { _ in 0 }
        self.trust = trust
        self.loop = loop
        session = ClientSession(settings: configuration.sessionSettings(urls: addresses.map(\.url)))
        let reference = WeakDriver()
        mailbox = Mailbox(limit: configuration.undeliveredLimit) {
            loop.post { reference.driver?.resumeReading() }
        }
        reference.driver = self
    }

    private var now: Int64 { Int64((loop.now() - started) / .milliseconds(1)) }

    // MARK: Calls by the app, on the loop

    func connect() { perform(session.connect(now: now)) }

    func disconnect() { perform(session.disconnect()) }

    func abort() {
        connection?.abort()
        connection = nil
        disconnect()
    }

    func call(_ id: CallID, _ operation: WaitingCalls.Operation, _ completion: @escaping Completion) {
        completions[id] = completion
        perform(session.call(id, operation, now: now))
    }

    func unsubscribe(_ room: String, _ id: CallID, _ completion: @escaping Completion) {
        completions[id] = completion
        perform(session.unsubscribe(room, id, now: now))
    }

    /// - Returns: The completion of an unfinished call, which the caller must call.
    func cancel(_ id: CallID) -> Completion? {
        guard let completion = completions.removeValue(forKey: id) else { return nil }
        perform(session.cancel(id))
        return completion
    }

    func observe(_ id: UInt64, _ continuation: AsyncStream<ConnectionState>.Continuation) {
        observers[id] = continuation
        continuation.yield(state)
    }

    func stopObserving(_ id: UInt64) { observers[id] = nil }

    /// Closes everything, because the app has released its client.
    func dispose() {
        disconnect()
        mailbox.finish()
        for observer in observers.values { observer.finish() }
        observers = [:]
    }

    // MARK: Actions

    private func perform(_ actions: [ClientSession.Action]) {
        loop.assertOnLoop()
        if queue.isEmpty { queue = actions } else { queue += actions }
        guard !isPerforming else { return }
        isPerforming = true
        var next = 0
        while next < queue.count {
            let action = queue[next]
            next += 1
            perform(action)
        }
        queue = []
        isPerforming = false
        reschedule()
    }

    private func perform(_ action: ClientSession.Action) {
        switch action {
        case .fetchToken(let number): fetchToken(number)
        case .open(let index): open(index)
        case .drop:
            connection?.close()
            connection = nil
        case .send(let envelope): connection?.send(envelope)
        case .waitToReconnect(let attempt):
            waitToReconnect(configuration.backoff.delay(attempt: attempt, random: .random(in: 0..<1)))
        case .waitForNextAddress: waitToReconnect(configuration.backoff.delayWithinRound(random: .random(in: 0..<1)))
        case .complete(let call, let result): completions.removeValue(forKey: call)?(result)
        case .changed(let state): change(to: state)
        case .publication(let room, let offset, let data):
            enqueue(.publication(room: room, offset: offset, data: data))
        case .subscribed(let room, let recovered, let wasRecovering):
            configuration.onSubscribed?(room, recovered, wasRecovering)
            enqueue(.subscribed(room: room, recovered: recovered, wasRecovering: wasRecovering))
        case .unsubscribed(let room): enqueue(.unsubscribed(room: room))
        case .gap(let room, let expected, let received):
            enqueue(.gap(room: room, expected: expected, received: received))
        }
    }

    private func change(to state: ConnectionState) {
        self.state = state
        for observer in observers.values { observer.yield(state) }
        if case .disconnected = state {
            tokenTask?.cancel()
            tokenTask = nil
            if let reconnectTimer { loop.cancel(reconnectTimer) }
            reconnectTimer = nil
        }
    }

    private func enqueue(_ item: Mailbox.Item) {
        guard !mailbox.enqueue(item), !isReadingPaused else { return }
        isReadingPaused = true
        session.readingChanged(isPaused: true, now: now)
        connection?.pauseReading()
    }

    private func resumeReading() {
        guard isReadingPaused else { return }
        isReadingPaused = false
        session.readingChanged(isPaused: false, now: now)
        connection?.resumeReading()
        reschedule()
    }

    private func fetchToken(_ number: Int) {
        let provider = configuration.token
        tokenTask?.cancel()
        tokenTask = Task { [loop] in
            let result: ClientSession.TokenResult
            do {
                result = .token(try await provider())
            } catch is SignedOut {
                result = .signedOut
            } catch {
                result = .failed("\(error)")
            }
            loop.post { self.perform(self.session.tokenFetched(result, number: number, now: self.now)) }
        }
    }

    // MARK: Connection

    private func open(_ index: Int) {
        let address = addresses[index]
        configuration.onAttempt?(address.url)
        do throws(HandshakeFailure) {
            let connection = try ClientConnection(
                to: address, trusting: trust, messageBytes: configuration.messageBytes,
                receiveBufferBytes: configuration.receiveBufferBytes, on: loop, delegate: self)
            self.connection = connection
            if isReadingPaused { connection.pauseReading() }
            opened += 1
            openedOfAddress[index] += 1
            if HostLookup.isLiteral(address.host) {
                connection.open(host: address.host, port: address.port)
            } else {
                lookUpAndOpen(address, turn: openedOfAddress[index] - 1)
            }
        } catch {
            perform(session.linkEnded(.failed("\(error)")))
        }
    }

    private func lookUpAndOpen(_ address: ServerAddress, turn: Int) {
        let attempt = opened
        HostLookup.resolve(address.host) { [loop] hosts in
            loop.post {
                guard attempt == self.opened, let connection = self.connection else { return }
                guard !hosts.isEmpty else { return self.ended(connection, .failed("no such host")) }
                connection.open(host: hosts[turn % hosts.count], port: address.port)
            }
        }
    }

    func opened(_ connection: ClientConnection) {
        guard connection === self.connection else { return }
        perform(session.linkOpened(now: now))
    }

    func received(_ text: [UInt8], on connection: ClientConnection) {
        guard connection === self.connection else { return }
        if let publication = ServerMessage.publication(in: text) { return handle(publication) }
        do throws(JSONSyntaxError) {
            for message in try ServerMessage.decode(text) { handle(message) }
        } catch {
            perform(session.receiveGarbage())
        }
    }

    private func handle(_ message: ServerMessage) {
        if let hook = configuration.onPublication { message.passPublications(to: hook) }
        perform(session.receive(message, now: now))
    }

    func ended(_ connection: ClientConnection, _ end: ClientSession.LinkEnd) {
        guard connection === self.connection else { return }
        self.connection = nil
        perform(session.linkEnded(end))
    }

    // MARK: Timers

    private func waitToReconnect(_ delay: Duration) {
        if let reconnectTimer { loop.cancel(reconnectTimer) }
        reconnectTimer = loop.schedule(after: delay) { [weak self] in
            guard let self else { return }
            reconnectTimer = nil
            perform(session.reconnectDue(now: now))
        }
    }

    private func reschedule() {
        let deadline = session.nextDeadline
        // Keep a timer that fires too early; it is rescheduled when it fires, and deadlines mostly move later.
        if let timerDeadline, timer != nil, let deadline, timerDeadline <= deadline { return }
        guard deadline != timerDeadline || timer == nil else { return }
        if let timer { loop.cancel(timer) }
        timer = nil
        timerDeadline = deadline
        guard let deadline else { return }
        timer = loop.schedule(after: .milliseconds(max(0, deadline - now))) { [weak self] in
            guard let self else { return }
            timer = nil
            timerDeadline = nil
            perform(session.tick(now: now))
        }
    }
}

/// Lets the mailbox refer to the driver that owns it. Written once before it is shared; read on the loop.
private final class WeakDriver: @unchecked Sendable {
    weak var driver: ClientDriver?
}

extension ServerMessage {
    /// Passes a message's publications to the hook as received.
    fileprivate func passPublications(to hook: BelfryClient.Configuration.PublicationHook) {
        switch self {
        case .push(let room, .publication(let publication)): hook(room, publication.offset, publication.data)
        case .reply(_, .connected(let result)):
            for (room, sub) in result.subs {
                for publication in sub.publications { hook(room, publication.offset, publication.data) }
            }
        case .reply, .push, .ping: break
        }
    }
}
