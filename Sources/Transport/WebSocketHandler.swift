import API
import ChatEngine
import ChatModel
import EventLoops
import Gateway
import HTTPTypes
import Logging
import WebSocketCodec
import WireProtocol

/// A chat client's WebSocket: turns frames into envelopes for the session, and carries out the session's actions.
///
/// Confined to its connection's loop.
final class WebSocketHandler: ConnectionHandler {
    unowned let connection: ServerConnection
    let form: WireForm
    var receiver: WebSocketReceiver
    var session: Session
    /// The rest of a frame with several commands.
    private var pending = CommandFrame()
    /// Bytes of the current message, charged to the user with its first command.
    private var unpaidBytes = 0
    /// What the connection's address was charged for parsing a large `connect`.
    var paidForConnect = 0
    private var isResuming = false
    /// When the current incomplete message began.
    private var unfinishedSince: Int64?
    /// Inflated bytes processed per turn: a read of 64 KiB may contain 64 MiB of compressed messages.
    private static let inflatedPerTurn = 262_144
    /// What is left of `inflatedPerTurn`; when negative, the rest waits for the next turn.
    private var inflatable = inflatedPerTurn
    /// The token from the upgrade request, used when `connect` has none.
    let upgradeToken: String?
    /// The upgrade's header fields; kept only for a host that authenticates.
    let upgradeFields: HTTPFields
    let encoder: WireEncoder
    private(set) lazy var guestOrigin = GuestOrigin(AddressBlock.Pair(connection.address))

    init(
        _ connection: ServerConnection, _ form: WireForm, _ agreement: UpgradeAgreement, upgradeFields: HTTPFields
    ) {
        self.connection = connection
        self.form = form
        upgradeToken = agreement.token
        self.upgradeFields = upgradeFields
        encoder = connection.server.encoder
        let limits = connection.server.limits
        receiver = WebSocketReceiver(role: .server, limits: limits.beforeConnect, deflate: agreement.deflate)
        session = Session(
            limits: limits.session, now: connection.server.now,
            pingPhase: connection.id.serial &+ UInt64(truncatingIfNeeded: connection.id.loop) << 32)
        if agreement.deflate != nil { connection.allowCompressed() }
        connection.speak(form)
    }

    var server: LoopServer { connection.server }
    var user: UserID? { session.user }

    // MARK: Frames

    func receive(_ bytes: UnsafeRawBufferPointer) {
        receiver.feed(bytes)
        resume()
    }

    func resume() {
        // A command refused on the spot re-enters here from inside the loop, which continues by itself: a burst of such
        // commands must not add a stack frame each.
        guard !isResuming, inflatable >= 0 else { return }
        isResuming = true
        defer { isResuming = false }
        while connection.isOpen, isReady {
            if let envelope = pending.next() {
                receive(envelope)
                continue
            }
            guard inflatable >= 0 else { return goOnNextTurn() }
            do throws(ProtocolViolation) {
                guard let event = try receiver.next() else { break }
                if !receiver.hasOpenMessage { unfinishedSince = nil }
                take(event)
            } catch {
                server.services.metrics.violations.increment()
                if error.isOfInflation { server.services.metrics.compression.refusals.increment() }
                server.services.logger.info(
                    "protocol violation", metadata: ["connection": "\(connection.id)", "rule": "\(error)"])
                return end(error.closeCode, error.description)
            }
        }
        inflatable = Self.inflatedPerTurn
        timeMessage()
        if isReady {
            if connection.isReadingPaused { session.hearsAgain(now: server.now) }
            connection.resumeReading()
        } else {
            connection.pauseReading()
        }
    }

    private func receive(_ envelope: ClientEnvelope) {
        let (services, refused) = (server.services, session.refusedCount)
        let actions = session.receive(envelope, now: server.now) { user in
            let wait = services.commandRates.take(user, bytes: unpaidBytes, now: services.wallClock())
            if wait == nil { unpaidBytes = 0 }
            return wait
        }
        perform(actions)
        if session.refusedCount != refused { services.metrics.commandsRefused.increment() }
    }

    /// Times the current message. Input left unread because the session is busy is not late.
    private func timeMessage() {
        guard isReady, receiver.isInsideMessage else { return unfinishedSince = nil }
        unfinishedSince = unfinishedSince ?? server.now
    }

    /// Continues in the next turn, so that other connections get theirs.
    private func goOnNextTurn() {
        connection.pauseReading()
        unfinishedSince = nil
        let (server, id) = (server, connection.id)
        server.loop.post {
            _ = server.connection(id)?.with(WebSocketHandler.self) {
                $0.inflatable = Self.inflatedPerTurn
                $0.resume()
            }
        }
    }

    /// A client that does not read its answers gets no more of them.
    private var isReady: Bool { session.isReady && connection.takesAnswers }

    private func take(_ event: WebSocketEvent) {
        switch event {
        case .text(let message) where form == .json:
            receive(message, \.words) { () throws(JSONSyntaxError) in try CommandFrame(message) }
        case .binary(let message) where form == .protobuf:
            receive(message, \.words) { () throws(ProtobufSyntaxError) in try CommandFrame(protobuf: message) }
        case .text, .binary: end(.unsupportedData, form.refusal)
        case .ping(let payload):
            if let actions = session.receivedUnasked(now: server.now) { return perform(actions) }
            var frame: [UInt8] = []
            FrameEncoder.append(.pong, payload: payload, to: &frame)
            server.hub.write(frame, to: connection)
        case .pong: if let actions = session.receivedUnasked(now: server.now) { perform(actions) }
        case .close(let code, _): end(code ?? .normal, "")
        }
    }

    private func receive<Fault: Error>(
        _ message: [UInt8], _ fault: (Fault) -> String, _ read: () throws(Fault) -> CommandFrame
    ) {
        server.services.metrics.messagesIn.increment()
        if connection.takesCompressed { inflatable -= message.count }
        guard session.isLive || paysForConnect(message.count) else { return }
        unpaidBytes = message.count
        session.beginMessage()
        do throws(Fault) {
            pending = try read()
        } catch {
            perform(session.receiveGarbage(fault(error)))
        }
    }

    /// - Returns: False when the connection ends: its address has had too much parsed without a valid token.
    private func paysForConnect(_ bytes: Int) -> Bool {
        let cost = bytes / StrangerRates.connectBytesInOne
        guard cost > 0 else { return true }
        let services = server.services
        guard services.strangerRates.take(connection.address, cost, now: services.wallClock()) != nil else {
            paidForConnect += cost
            return true
        }
        services.metrics.strangersRefused.increment()
        perform(session.close(.tooManyRequests))
        return false
    }

    /// Sends an answer or a keep-alive ping.
    ///
    /// - Parameter isPlain: True for answers about the session itself, which are never compressed.
    func send(_ envelope: ServerEnvelope, isPlain: Bool = false) {
        server.hub.flush(roomsOf: connection)
        let bytes = envelope.encoded(as: form)
        let isCompressed = connection.takesCompressed && !isPlain
        connection.write(
            isCompressed ? server.compressor.frame(bytes, form) : form.frame(bytes), isAnswer: true)
    }

    func end(_ code: CloseCode, _ reason: String) {
        _ = session.close(.connectionClosed)
        pending = CommandFrame()
        server.hub.flush()
        connection.finish(FrameEncoder.close(code, reason: reason))
    }

    // MARK: Time and the end

    var heldBytes: Int { receiver.bufferedBytes + pending.unreadBytes }

    private var messageDeadline: Int64? {
        unfinishedSince.map { $0 + server.limits.messageMilliseconds }
    }

    var nextDeadline: Int64? {
        switch (session.nextDeadline, messageDeadline) {
        case (let ofSession?, let ofMessage?): min(ofSession, ofMessage)
        case (let ofSession, let ofMessage): ofSession ?? ofMessage
        }
    }

    func tick(now: Int64) {
        if let messageDeadline, now >= messageDeadline {
            server.services.metrics.violations.increment()
            return end(.policyViolation, "the message took too long")
        }
        let wasReady = session.isReady
        perform(session.tick(now: now, isHeard: !connection.isReadingPaused))
        if !wasReady, session.isReady { resume() }
    }

    func drain() { perform(session.close(.shutdown)) }

    func ousted(_ code: DisconnectCode) { perform(session.close(code)) }

    func fallenBehind() { perform(session.close(.slow)) }
}
