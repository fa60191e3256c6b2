import API
import ChatEngine
import ChatModel
import EventLoops
import Gateway
import HTTPTypes
import Logging
import WebSocketCodec
import WireProtocol

/// A chat client's WebSocket. It decodes frames into envelopes for the session and performs the session's actions.
///
/// Confined to its connection's loop.
final class WebSocketHandler: ConnectionHandler {
    unowned let connection: ServerConnection
    let form: WireForm
    var receiver: WebSocketReceiver
    var session: Session
    /// The remaining commands of the current frame.
    private var pending = CommandFrame()
    /// The commands of a large message that arrived while a rate allowed none of them. They are refused without being
    /// decoded.
    private var refused: CommandHeads?
    /// Smaller messages are decoded before the rates are checked, because decoding them costs no more than finding
    /// their ids.
    private static let smallMessageBytes = 4_096
    /// Bytes of the current message, charged to the user with its first command.
    private var unpaidBytes = 0
    /// The amount that the connection's address was charged for parsing a large `connect`.
    var paidForConnect = 0
    /// Bytes kept of a large `connect` while its token is verified.
    private var connectBytes = 0
    private var isResuming = false
    /// When the current incomplete message began.
    @OptionalTime private var unfinishedSince: Int64?
    /// Whether the rest of the input waits for a later turn.
    private var isPostponed = false
    /// Inflating takes longer than decoding, and a read of 64 KiB may contain 64 MiB of compressed messages. A large
    /// one therefore uses up a turn.
    private static let inflatedByteCost = 4
    /// Bytes of the unfinished message that turns were already charged for.
    private var chargedBytes = 0
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
            limits: connection.server.sessionLimits, now: connection.server.now,
            pingPhase: connection.id.serial &+ UInt64(truncatingIfNeeded: connection.id.loop) << 32)
        if agreement.deflate != nil { connection.enableCompression() }
        connection.setForm(form)
    }

    var server: LoopServer { connection.server }
    var services: Services { connection.server.services }
    var user: UserID? { session.user }

    // MARK: Frames

    func receive(_ bytes: UnsafeRawBufferPointer) {
        receiver.feed(bytes)
        // Charge as bytes arrive, so that the server buffers nothing that the address cannot pay for.
        guard session.isLive || chargeConnect(receiver.bufferedBytes) else { return }
        resume()
    }

    func resume() { resume(isServed: false) }

    func resumePostponed() {
        isPostponed = false
        resume(isServed: true)
    }

    /// Whether the next message is certainly small and therefore decoded even in a turn that has used up its bytes.
    private var isNextSmall: Bool { !connection.acceptsCompression && receiver.bufferedBytes <= Self.smallMessageBytes }

    /// - Parameter isServed: Whether it may decode one message even in a turn that has used up its bytes.
    private func resume(isServed: Bool) {
        var isServed = isServed
        // A command that is refused immediately re-enters this method from inside its loop, which continues by itself.
        // Each such command of a burst must not add a stack frame.
        guard !isResuming, !isPostponed else { return }
        isResuming = true
        defer { isResuming = false }
        let (connection, server) = (connection, server)
        while connection.isOpen, isReady {
            if let envelope = pending.next() {
                receive(envelope)
                continue
            }
            if refused != nil {
                refuseNext()
                continue
            }
            guard isServed || server.hasBytesLeft || isNextSmall else { return postponeToNextTurn() }
            isServed = false
            do throws(ProtocolViolation) {
                guard let event = try receiver.next() else { break }
                if !receiver.hasOpenMessage { unfinishedSince = nil }
                handle(event)
            } catch {
                services.metrics.violations.increment()
                if error.isInflationError { services.metrics.compression.refusals.increment() }
                services.logger.info(
                    "protocol violation", metadata: ["connection": "\(connection.id)", "rule": "\(error)"])
                return end(error.closeCode, error.description)
            }
        }
        if connection.acceptsCompression { chargeUnfinished() }
        timeMessage()
        if isReady {
            if connection.isReadingPaused { session.resumeReading(now: server.now) }
            connection.resumeReading()
        } else {
            connection.pauseReading()
        }
    }

    private func receive(_ envelope: ClientEnvelope) {
        let (services, refused) = (services, session.refusedCount)
        let actions = session.receive(envelope, now: server.now) { user in
            let wait = services.limits.commands.charge(user, bytes: unpaidBytes, now: services.wallClock())
            if wait == nil { unpaidBytes = 0 }
            return wait
        }
        perform(actions)
        if session.refusedCount != refused { services.metrics.commandsRefused.increment() }
    }

    /// Refuses the next command of a message without decoding it.
    private func refuseNext() {
        guard let head = refused?.next() else { return refused = nil }
        switch head {
        case .command(let id):
            let wait = unpaidWait() ?? 1
            perform(session.refuseUnread(id, retryAfter: wait, bytes: unpaidBytes, now: server.now))
            services.metrics.commandsRefused.increment()
            unpaidBytes = 0
        case .pong: receive(ClientEnvelope(id: 0, command: .pong))
        case .unreadable:
            refused = nil
            perform(session.receiveInvalidFrame(JSONSyntaxError.wrongType(field: "id").closeReason))
        }
    }

    /// Returns the milliseconds until the rates allow the first command of the current message, or nil if they do now.
    private func unpaidWait() -> Int64? {
        guard let user else { return nil }
        return session.retryAfter(now: server.now)
            ?? services.limits.commands.wait(user, bytes: unpaidBytes, now: services.wallClock())
            ?? services.chat.engine.retryAfter(for: user)
    }

    /// Times the current message. Input left unread because the session is busy does not count as late.
    private func timeMessage() {
        guard isReady, receiver.isInsideMessage else { return unfinishedSince = nil }
        unfinishedSince = unfinishedSince ?? server.now
    }

    /// Continues in the next turn, so that other connections get their share.
    private func postponeToNextTurn() {
        isPostponed = true
        connection.pauseReading()
        unfinishedSince = nil
        connection.postponeInput()
    }

    /// Charges the turn for the inflated bytes of an unfinished message.
    private func chargeUnfinished() {
        let bytes = receiver.bufferedBytes
        server.charge(max(0, bytes - chargedBytes) * Self.inflatedByteCost)
        chargedBytes = bytes
    }

    /// False while the client does not read its answers.
    private var isReady: Bool { session.isReady && connection.hasRoomForAnswers }

    private func handle(_ event: WebSocketEvent) {
        switch event {
        case .text(let message) where form == .json:
            receive(message, \.closeReason) { () throws(JSONSyntaxError) in try CommandFrame(message) }
        case .binary(let message) where form == .protobuf:
            receive(message, \.closeReason) { () throws(ProtobufSyntaxError) in try CommandFrame(protobuf: message) }
        case .text, .binary: end(.unsupportedData, form.refusal)
        case .ping(let payload):
            if let actions = session.receiveUnsolicited(now: server.now) { return perform(actions) }
            var frame: [UInt8] = []
            FrameEncoder.append(.pong, payload: payload, to: &frame)
            server.hub.write(frame, to: connection)
        case .pong: if let actions = session.receiveUnsolicited(now: server.now) { perform(actions) }
        case .close(let code, _): end(code ?? .normal, "")
        }
    }

    private func receive<Fault: Error>(
        _ message: [UInt8], _ fault: (Fault) -> String, _ read: () throws(Fault) -> CommandFrame
    ) {
        services.metrics.messagesIn.increment()
        server.charge(connection.acceptsCompression ? message.count * Self.inflatedByteCost : message.count)
        guard session.isLive || chargeConnect(message.count) else { return }
        // The decoded positions need more memory than their text.
        connectBytes = session.isLive ? 0 : 3 * message.count
        unpaidBytes = message.count
        session.beginMessage()
        if message.count > Self.smallMessageBytes, unpaidWait() != nil {
            refused = CommandHeads(message, form)
            return
        }
        do throws(Fault) {
            pending = try read()
        } catch {
            perform(session.receiveInvalidFrame(fault(error)))
        }
    }

    /// - Parameter bytes: The part of the message that has arrived, including bytes already charged.
    /// - Returns: False when the connection ends, because its address sent too much without a valid token.
    private func chargeConnect(_ bytes: Int) -> Bool {
        let cost = bytes / StrangerRates.connectBytesPerRequest - paidForConnect
        guard cost > 0 else { return true }
        guard services.limits.strangers.charge(connection.address, cost, now: services.wallClock()) != nil else {
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
        let bytes = envelope.encoded(as: form)
        let isCompressed = connection.acceptsCompression && !isPlain
        if isCompressed { server.charge(bytes.count * Self.inflatedByteCost) }
        connection.writeTogether {
            server.hub.flush(roomsOf: connection)
            connection.write(
                isCompressed ? server.compressor.frame(bytes, form) : form.frame(bytes), isAnswer: true)
        }
    }

    func end(_ code: CloseCode, _ reason: String) {
        _ = session.close(.connectionClosed)
        pending = CommandFrame()
        refused = nil
        // Read nothing more, although the connection may linger.
        receiver = WebSocketReceiver(role: .server)
        server.hub.flush()
        connection.finish(FrameEncoder.close(code, reason: reason))
    }

    // MARK: Time and the end

    var heldBytes: Int {
        receiver.bufferedBytes + receiver.inflaterBytes + pending.unreadBytes + (refused?.unreadBytes ?? 0)
            + connectBytes
    }

    var holder: HeldBytes.Holder? { user.map { .user($0) } ?? .address(AddressBlock.Pair(connection.address).own) }

    func heldBytesExceeded(_ verdict: HeldBytes.Verdict) {
        guard connection.isOpen else { return }
        services.metrics.refuse(.unfinishedBytes)
        perform(session.close(.tooManyRequests))
    }

    /// Releases the count of a large `connect`, once its token is verified and its other fields are passed to the chat.
    func clearConnectBytes() { connectBytes = 0 }

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
            services.metrics.violations.increment()
            return end(.policyViolation, "the message took too long")
        }
        let wasReady = session.isReady
        perform(session.tick(now: now, isReading: !connection.isReadingPaused))
        if !wasReady, session.isReady { resume() }
    }

    func drain() { perform(session.close(.shutdown)) }

    func disconnect(_ code: DisconnectCode) { perform(session.close(code)) }

    func closeSlowConsumer() { perform(session.close(.slow)) }
}
