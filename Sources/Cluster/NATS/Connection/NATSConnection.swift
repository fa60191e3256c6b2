#if Cluster
import Dispatch
import Synchronization

/// A connection to one of several NATS servers. It reconnects for ever.
///
/// All state is touched on `queue` only, where all callbacks run too; only `backlog` is shared. A queue that targets `queue`
/// receives messages without the wake-up of another thread.
package final class NATSConnection: @unchecked Sendable {
    package enum State: Equatable, Sendable {
        /// - Parameter server: A host and port.
        case connected(server: String)
        /// The reason why there is no connection. It is repeated only if it changes.
        case reconnecting(NATSError)
        case closed
    }

    /// Where a message went that did not fit into a buffer of this process.
    package enum Direction: String, CaseIterable, Sendable { case received, sent }

    private static let pingMilliseconds = 1_000
    /// Between attempts to reach all servers; random up to twice as long.
    private static let reconnectMilliseconds = 250
    private static let backlogByteLimit = 32 << 20

    package let queue = DispatchQueue(label: "belfry.nats")
    /// Connecting blocks.
    private let connector = DispatchQueue(label: "belfry.nats.connector")
    private let settings: NATSSettings
    private let servers: [NATSServerAddress]
    private let report: @Sendable (State) -> Void
    private let dropped: @Sendable (Direction) -> Void
    /// The size of what was handed to `queue` and is not processed yet.
    private let backlog = Atomic<Int>(0)
    private let inbox: String

    private var link: NATSLink?
    private var isClosed = false
    private var nextServer = 0
    /// Attempts that failed, and connections that were lost soon, since the last pause.
    private var failures = 0
    private var failure: NATSError?
    private var reported: State?
    private var requests = RequestTable()
    private var subscriptions: [Int: (subject: String, receive: @Sendable (NATSMessage) -> Void)] = [:]
    private let lastSubscription = Atomic<Int>(0)
    private let pingTimer: any DispatchSourceTimer
    private let deadlineTimer: any DispatchSourceTimer
    private var deadline = UInt64.max

    /// Begins to connect. `close` must follow some time.
    ///
    /// - Parameters:
    ///   - dropped: Called on any thread for each message that does not fit into a buffer, requests apart, which fail.
    ///   - report: Called with each change.
    package init(
        _ settings: NATSSettings, dropped: @escaping @Sendable (Direction) -> Void = { _ in },
        report: @escaping @Sendable (State) -> Void
    ) {
        self.settings = settings
        self.dropped = dropped
        self.report = report
        // Nodes with the same settings should not all choose the same server.
        servers = settings.servers.shuffled()
        inbox = "_INBOX.belfry.\(String(UInt64.random(in: .min ... .max), radix: 36))"
        pingTimer = DispatchSource.makeTimerSource(queue: queue)
        deadlineTimer = DispatchSource.makeTimerSource(queue: queue)
        pingTimer.setEventHandler { [self] in ping() }
        let interval = DispatchTimeInterval.milliseconds(Self.pingMilliseconds)
        pingTimer.schedule(deadline: .now() + interval, repeating: interval)
        pingTimer.activate()
        deadlineTimer.setEventHandler { [self] in expireRequests() }
        deadlineTimer.activate()
        queue.async { [self] in connect() }
    }

    /// Sends what can be sent at once, and ends all requests.
    package func close() {
        queue.async { [self] in
            guard !isClosed else { return }
            isClosed = true
            pingTimer.cancel()
            deadlineTimer.cancel()
            link?.close(flushing: true)
            link = nil
            for receive in requests.removeAll() { _ = receive(.full) }
            subscriptions = [:]
            report(.closed)
        }
    }

    // MARK: Connecting

    private func connect() {
        let server = servers[nextServer]
        nextServer = (nextServer + 1) % servers.count
        connector.async { [self] in
            let replies = Mailbox(queue: queue, dropped: { [dropped] in dropped(.received) }) { [self] in
                receive(reply: $0)
            }
            let result = Result { () throws(NATSError) in
                try NATSLink(server, settings, queue: queue, replies: replies) { [self] id, message in
                    subscriptions[id]?.receive(message)
                }
            }
            queue.async { [self] in
                switch result {
                case .success(let link): begin(link)
                case .failure(let error): retry(after: error)
                }
            }
        }
    }

    private func begin(_ link: NATSLink) {
        link.start { [self] error in lose(error) }
        guard !isClosed else { return link.close(flushing: false) }
        self.link = link
        // cnats sends in order, so the subscriptions precede the requests that need them.
        link.subscribe(toReplies: "\(inbox).*")
        for (id, subscription) in subscriptions.sorted(by: { $0.key < $1.key }) {
            link.subscribe(id, to: subscription.subject)
        }
        for id in requests.unsent { send(id) }
        change(to: .connected(server: link.server.endpoint))
    }

    private func lose(_ error: NATSError) {
        link = nil
        for receive in requests.removeSent() { _ = receive(.disconnected) }
        change(to: .reconnecting(error))
        retry(after: error)
    }

    private func retry(after error: NATSError) {
        guard !isClosed else { return }
        // Of several servers' failures, the one that does not heal by itself is the one to know.
        if case .unreachable? = failure { failure = error } else { failure = failure ?? error }
        failures += 1
        guard failures >= servers.count else { return connect() }
        if let failure { change(to: .reconnecting(failure)) }
        (failures, failure) = (0, nil)
        let delay = Int.random(in: Self.reconnectMilliseconds...2 * Self.reconnectMilliseconds)
        queue.asyncAfter(deadline: .now() + .milliseconds(delay)) { [self] in
            if !isClosed { connect() }
        }
    }

    private func ping() {
        guard let link else { return }
        (failures, failure) = (0, nil)
        link.ping("\(inbox).ping")
    }

    private func change(to state: State) {
        guard state != reported else { return }
        reported = state
        report(state)
    }

    // MARK: Messages

    /// Sends a message, unless there is no connection or too much is waiting.
    func publish(_ publication: NATSPublication) {
        let isAccepted = enqueue(publication.size) { [self] in
            if link?.send(publication) == .full { dropped(.sent) }
        }
        if !isAccepted { dropped(.sent) }
    }

    /// Sends a message as soon as there is a connection. Passes each reply to `receive`, until that returns false or
    /// gets anything but a message.
    func request(
        _ publication: NATSPublication, milliseconds: Int, _ receive: @escaping RequestTable.Receive
    ) {
        let deadline = DispatchTime.now().uptimeNanoseconds + UInt64(max(0, milliseconds)) * 1_000_000
        let isAccepted = enqueue(publication.size) { [self] in
            guard !isClosed, let id = requests.insert(publication, deadline: deadline, receive) else {
                _ = receive(.full)
                return
            }
            expire(by: deadline)
            if link != nil { send(id) }
        }
        if !isAccepted { queue.async { _ = receive(.full) } }
    }

    /// Receives the messages of a subject.
    ///
    /// - Returns: An id for `unsubscribe`.
    func subscribe(_ subject: String, _ receive: @escaping @Sendable (NATSMessage) -> Void) -> Int {
        let id = lastSubscription.add(1, ordering: .relaxed).newValue
        queue.async { [self] in
            guard !isClosed else { return }
            subscriptions[id] = (subject, receive)
            link?.subscribe(id, to: subject)
        }
        return id
    }

    func unsubscribe(_ id: Int) {
        queue.async { [self] in
            subscriptions[id] = nil
            link?.unsubscribe(id)
        }
    }

    /// - Returns: False if too much is waiting; `work` will not run.
    private func enqueue(_ size: Int, _ work: @escaping @Sendable () -> Void) -> Bool {
        guard backlog.add(size, ordering: .relaxed).newValue <= Self.backlogByteLimit else {
            backlog.subtract(size, ordering: .relaxed)
            return false
        }
        queue.async { [self] in
            backlog.subtract(size, ordering: .relaxed)
            work()
        }
        return true
    }

    private func send(_ id: UInt64) {
        guard let publication = requests.beginSending(id), let link else { return }
        switch link.send(publication, replyTo: "\(inbox).\(id)") {
        case .sent: break
        case .tooLarge: _ = requests.remove(id)?(.tooLarge)
        case .full: _ = requests.remove(id)?(.full)
        }
    }

    private func receive(reply message: NATSMessage) {
        // A ping's subject ends otherwise.
        guard let id = message.subject.split(separator: ".").last.flatMap({ UInt64($0) }),
            let receive = requests.receiver(of: id)
        else { return }
        if message.status == "503" {
            requests.remove(id)
            _ = receive(.nobody)
        } else if !receive(.message(message)) {
            requests.remove(id)
        }
    }

    // MARK: Deadlines

    private func expire(by deadline: UInt64) {
        guard deadline < self.deadline else { return }
        self.deadline = deadline
        deadlineTimer.schedule(deadline: DispatchTime(uptimeNanoseconds: deadline))
    }

    private func expireRequests() {
        for receive in requests.removeExpired(at: DispatchTime.now().uptimeNanoseconds) { _ = receive(.silence) }
        deadline = .max
        if let next = requests.earliestDeadline { expire(by: next) }
    }
}
#endif
