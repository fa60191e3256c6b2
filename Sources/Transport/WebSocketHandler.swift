import API
import ChatEngine
import ChatModel
import EventLoops
import Gateway
import Logging
import WebSocketCodec
import WireProtocol

/// A WebSocket connection of a chat client: frames to envelopes to the session, and its actions back.
///
/// Confined to its connection's loop.
final class WebSocketHandler: ConnectionHandler {
    private unowned let connection: ServerConnection
    private var receiver: WebSocketReceiver
    private var session: Session
    /// The rest of a frame that holds several commands.
    private var pending: ArraySlice<ClientEnvelope> = []
    private var isResuming = false
    /// When the message began that is not whole yet.
    private var unfinishedSince: Int64?
    /// What a turn takes of compressed messages, inflated, in bytes: a read of 64 KiB may hold 64 MiB of them.
    private static let inflatedPerTurn = 262_144
    /// What the turn may still take; below zero the rest waits for the next one.
    private var inflatable = inflatedPerTurn
    /// A token that came with the upgrade, used when `connect` brings none.
    private let upgradeToken: String?
    private let encoder: WireEncoder

    init(_ connection: ServerConnection, upgradeToken: String?, deflate: DeflateParameters?) {
        self.connection = connection
        self.upgradeToken = upgradeToken
        encoder = connection.server.encoder
        let limits = connection.server.services.limits
        receiver = WebSocketReceiver(role: .server, limits: limits.beforeConnect, deflate: deflate)
        session = Session(
            limits: limits.session, now: connection.server.now,
            pingPhase: connection.id.serial &+ UInt64(truncatingIfNeeded: connection.id.loop) << 32)
        if deflate != nil { connection.allowCompressed() }
    }

    private var server: LoopServer { connection.server }

    // MARK: Frames

    func receive(_ bytes: UnsafeRawBufferPointer) {
        receiver.feed(bytes)
        resume()
    }

    func resume() {
        // A command that is refused on the spot comes back here from inside the loop, which goes on by itself: a burst
        // of such commands must not cost a stack frame each.
        guard !isResuming, inflatable >= 0 else { return }
        isResuming = true
        defer { isResuming = false }
        while connection.isOpen, isReady {
            if let envelope = pending.popFirst() {
                let refused = session.refusedCount
                perform(session.receive(envelope, now: server.now))
                if session.refusedCount != refused { server.services.metrics.commandsRefused.increment() }
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

    /// What lies unread here because the session is busy is not late.
    private func timeMessage() {
        guard isReady, receiver.isInsideMessage else { return unfinishedSince = nil }
        unfinishedSince = unfinishedSince ?? server.now
    }

    /// Leaves the loop to the others for a moment.
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

    /// Who does not take the answers gets no more of them.
    private var isReady: Bool { session.isReady && connection.takesAnswers }

    private func take(_ event: WebSocketEvent) {
        switch event {
        case .text(let text):
            server.services.metrics.messagesIn.increment()
            if connection.takesCompressed { inflatable -= text.count }
            do throws(JSONSyntaxError) {
                pending = try ClientEnvelope.decode(text)[...]
            } catch {
                perform(session.receiveGarbage())
            }
        case .binary: end(.unsupportedData, "the JSON protocol travels in text frames")
        case .ping(let payload):
            if let actions = session.receivedUnasked(now: server.now) { return perform(actions) }
            var frame: [UInt8] = []
            FrameEncoder.append(.pong, payload: payload, to: &frame)
            server.hub.write(frame, to: connection)
        case .pong: if let actions = session.receivedUnasked(now: server.now) { perform(actions) }
        case .close(let code, _): end(code ?? .normal, "")
        }
    }

    /// Answers, and the pings that keep the connection alive.
    ///
    /// - Parameter isPlain: For what concerns the session itself and is never compressed.
    private func send(_ envelope: [UInt8], isPlain: Bool = false) {
        server.hub.flush(roomsOf: connection)
        let isCompressed = connection.takesCompressed && !isPlain
        connection.write(
            isCompressed ? server.compressor.frame(envelope) : FrameEncoder.text(envelope), isAnswer: true)
    }

    private func end(_ code: CloseCode, _ reason: String) {
        _ = session.close(.connectionClosed)
        pending = []
        server.hub.flush()
        connection.finish(FrameEncoder.close(code, reason: reason))
    }

    // MARK: Actions

    private func perform(_ actions: [Session.Action]) {
        for action in actions { perform(action) }
    }

    private func perform(_ action: Session.Action) {
        switch action {
        case .send(let envelope): send(envelope)
        case .close(let code): end(CloseCode(rawValue: code.rawValue), code.row.reason)
        case .verify(let token, let purpose): verify(token, purpose)
        case .attach(let command, let identity, let request): attach(command, identity, request)
        case .execute(let command, let method, let data): execute(command, method, data)
        case .subscribe(let command, let room, let request): subscribe(command, room, request)
        case .unsubscribe(let command, let room): unsubscribe(command, room)
        case .sendRefreshed(let command, let ttl):
            send(
                ServerEnvelope.refreshed(
                    id: command, client: clientName, version: server.services.version, ttl: ttl), isPlain: true)
        }
    }

    private func address(_ command: UInt32) -> ReturnAddress {
        ReturnAddress(connection: connection.id, command: command)
    }

    private var clientName: String { "\(server.services.node)-\(connection.id)" }

    /// Off the loop, because signatures are checked asynchronously; the session takes nothing meanwhile.
    private func verify(_ token: String?, _ purpose: Session.TokenPurpose) {
        // Some SDKs say that there is none with an empty one.
        var token = token
        if case .connect = purpose, token?.isEmpty ?? true { token = upgradeToken }
        let (server, id) = (server, connection.id)
        server.services.tokens.verify(token) { result in
            server.loop.post {
                _ = server.connection(id)?.with(WebSocketHandler.self) { $0.verified(result, purpose) }
            }
        }
    }

    private func verified(_ result: Result<Identity, TokenRefusal>, _ purpose: Session.TokenPurpose) {
        if case (.connect, .success(let identity)) = (purpose, result), !connection.enter(as: identity.user) {
            return perform(session.close(.connectionLimit))
        }
        perform(session.verified(result, purpose, now: server.now))
        resume()
    }

    private func attach(_ command: UInt32, _ identity: Identity, _ request: ConnectRequest) {
        var positions: [Room: StreamPosition] = [:]
        for (name, position) in request.positions {
            if let room = Room(name: name) { positions[room] = position }
        }
        server.services.engine.attach(
            AttachRequest(
                address: address(command), user: identity.user, subscribe: request.subscribe, positions: positions))
    }

    private func execute(_ command: UInt32, _ method: String, _ data: [UInt8]) {
        guard let user = session.user else { return }
        if let wait = server.services.commandRates.take(user, now: server.services.wallClock()) {
            server.services.metrics.commandsRefused.increment()
            return perform(session.refuseOfUser(command, retryAfterMilliseconds: wait))
        }
        do throws(Rejection) {
            try server.services.commands.start(method, data, by: .user(user), answerTo: address(command))
        } catch {
            answered(command, .failure(error))
        }
    }

    private func subscribe(_ command: UInt32, _ room: Room, _ request: SubscribeRequest) {
        guard let user = session.user else { return }
        server.services.engine.subscribe(user, to: room, request, answerTo: address(command))
    }

    /// The inbox stays: by it the server knows where a user's connections are.
    private func unsubscribe(_ command: UInt32, _ room: Room) {
        if case .inbox = room {
            return send(ServerEnvelope.error(id: command, Rejection(.permissionDenied, "the inbox stays")))
        }
        server.hub.leave(connection, room)
        send(ServerEnvelope.unsubscribed(id: command))
    }

    // MARK: Results

    func answered(_ command: UInt32, _ answer: Answer) {
        guard session.isLive else {
            // The chat could not take the newcomer in; it may come back, unless it is shut out.
            guard case .failure(let rejection) = answer else { return perform(session.close(.serverError)) }
            send(ServerEnvelope.error(id: command, rejection))
            return perform(session.close(rejection.code == .userDeactivated ? .forceNoReconnect : .serverError))
        }
        switch answer {
        case .success(let result): send(ServerEnvelope.rpc(id: command, data: encoder.encode(result)))
        case .failure(let rejection): send(ServerEnvelope.error(id: command, rejection))
        }
        perform(session.answered(command))
        resume()
    }

    func attached(_ command: UInt32, _ attachment: Attachment) {
        guard let identity = session.attached(now: server.now) else { return server.hub.decline(attachment) }
        let services = server.services
        receiver.limits = services.limits.webSocket
        let reply = ConnectReply(
            grants: attachment.grants, roomBytes: services.limits.connectReplyBytes,
            overflowBytes: services.limits.outbox.answerBytes / 2)
        let data = encoder.encode(
            ConnectData(
                user: attachment.user, unread: attachment.unread, emojiHash: attachment.emojiHash,
                settings: attachment.settings))
        send(
            ServerEnvelope.connected(
                id: command,
                ConnectResult(
                    client: clientName, version: services.version, session: clientName, node: services.node,
                    ttl: identity.ttlSeconds, pingSeconds: session.pingSeconds, data: data, subs: reply.subs)),
            isPlain: true)
        for envelope in reply.overflow { send(envelope) }
        server.hub.attach(
            connection, user: identity.user, follows: session.followsChannels, to: attachment.grants)
        services.logger.info(
            "session opened", metadata: ["connection": "\(connection.id)", "user": "\(identity.user)"])
        resume()
    }

    func subscribed(_ command: UInt32, _ result: Result<RoomGrant, Rejection>) {
        switch result {
        case .failure(let rejection): send(ServerEnvelope.error(id: command, rejection))
        case .success(let grant) where server.hub.isMember(connection, of: grant.room):
            // Asked twice, or gained meanwhile: what it hears must not be told again.
            server.hub.decline([grant])
            send(ServerEnvelope.error(id: command, Rejection(.alreadySubscribed)))
        case .success(let grant):
            send(ServerEnvelope.subscribed(id: command, SubscribeResult(grant)))
            server.hub.enter(connection, grant)
        }
        perform(session.answered(command))
        resume()
    }

    // MARK: Time and the end

    var heldBytes: Int { receiver.bufferedBytes }

    private var messageDeadline: Int64? {
        unfinishedSince.map { $0 + server.services.limits.messageMilliseconds }
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
        perform(session.tick(now: now, isHeard: !connection.isReadingPaused))
    }

    func drain() { perform(session.close(.shutdown)) }

    func ousted() { perform(session.close(.forceNoReconnect)) }

    func fallenBehind() { perform(session.close(.slow)) }
}

/// `data` of the connect reply.
private struct ConnectData: Encodable, Sendable {
    let user: User
    /// Over all channels, as `read.counts` answers (`U1`).
    let unread: UnreadTotals
    /// A client that knows the list of this hash need not ask for it again.
    let emojiHash: String
    let settings: ClientSettings
    /// Of the chat's commands and events; raised when a client has to know.
    let protocolVersion = 1

    enum CodingKeys: String, CodingKey {
        case user, unread, settings
        case emojiHash = "emoji_hash"
        case protocolVersion = "protocol_version"
    }
}
