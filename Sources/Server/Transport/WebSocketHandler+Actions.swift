import API
import ChatModel
import EventLoops
import Gateway
import WebSocketCodec
import WireProtocol

/// Performs the session's actions.
extension WebSocketHandler {
    func perform(_ actions: [Session.Action]) {
        for action in actions { perform(action) }
    }

    func perform(_ action: Session.Action) {
        switch action {
        case .ping: send(.ping)
        case .pong(let command): send(.pong(id: command))
        case .refuse(let command, let rejection): refuse(command, rejection)
        case .close(let code):
            services.metrics.codes.closed(code)
            end(CloseCode(rawValue: code.rawValue), reason(of: code))
        case .verify(let token, let purpose): verify(token, purpose)
        case .attach(let command, let identity, let request): attach(command, identity, request)
        case .execute(let command, let method, let data): execute(command, method, data)
        case .subscribe(let command, let room, let request): subscribe(command, room, request)
        case .unsubscribe(let command, let room): unsubscribe(command, room)
        case .sendRefreshed(let command, let ttl):
            send(
                .refreshed(id: command, client: clientName, version: services.identity.version, ttl: ttl),
                isPlain: true)
        }
    }

    /// Returns the reason from the table, followed by the exact fault if both fit into a close frame's 123 bytes.
    private func reason(of code: DisconnectCode) -> String {
        guard let fault = session.fault else { return code.row.reason }
        services.logger.info(
            "bad request", metadata: ["connection": "\(connection.id)", "fault": "\(fault)"])
        let reason = code.row.reason + ": " + fault
        return reason.utf8.count <= 123 ? reason : code.row.reason
    }

    func refuse(_ command: UInt32, _ rejection: Rejection) {
        services.metrics.codes.refused(rejection.code)
        send(.error(id: command, rejection))
    }

    /// Returns the network to charge for a user's commands, or nil for users who are not guests.
    private func guestOrigin(of user: UserID) -> GuestOrigin? { user.isGuest ? guestOrigin : nil }

    var clientName: String { "\(services.identity.node)-\(connection.id)" }

    /// Verifies a token off the loop, because signatures are checked asynchronously. Until then, the session accepts
    /// nothing.
    func verify(_ token: String?, _ purpose: Session.TokenPurpose) {
        // Some SDKs send an empty token when they have none.
        var token = token
        var occasion = PresentedCredentials.Occasion.refresh
        if case .connect = purpose {
            if token?.isEmpty ?? true { token = upgradeToken }
            occasion = .connect
        }
        let (server, id) = (server, connection.id)
        let presented = PresentedCredentials(
            token: token, fields: upgradeFields, address: connection.address, occasion: occasion)
        services.access.verify(presented, on: server.loop) { result in
            _ = server.connection(id)?.with(WebSocketHandler.self) { $0.verified(result, purpose) }
        }
    }

    private func verified(_ result: Result<Identity, TokenRefusal>, _ purpose: Session.TokenPurpose) {
        clearConnectBytes()
        if case (.connect, .failure(let refusal)) = (purpose, result), chargeFailedVerification(refusal) {
            services.metrics.strangersRefused.increment()
            return perform(session.close(.tooManyRequests))
        }
        if paidForConnect > 0, result.deservesRefund {
            services.limits.strangers.refund(connection.address, paidForConnect)
        }
        paidForConnect = 0
        if case (.connect, .success(let identity)) = (purpose, result), !connection.enter(as: identity.user) {
            return perform(session.close(.connectionLimit))
        }
        perform(session.verified(result, purpose, now: server.now))
        if case (.refresh, .success(let identity)) = (purpose, result) {
            server.hub.renew(connection, as: identity)
        }
        resume()
    }

    /// Charges a failed verification to the address. An expired token may be replaced on the same connection; any other
    /// failure ends the connection with a code that says why.
    ///
    /// - Returns: Whether the connection must end because its address exceeds the rate.
    private func chargeFailedVerification(_ refusal: TokenRefusal) -> Bool {
        guard refusal != .unavailable, paidForConnect == 0 else { return false }
        let wait = services.limits.strangers.charge(connection.address, now: services.wallClock())
        return wait != nil && refusal == .expired
    }

    private func attach(_ command: UInt32, _ identity: Identity, _ request: ConnectRequest) {
        var positions: [Room: RoomPosition] = [:]
        for (name, position) in request.positions {
            if let room = Room(name: name) { positions[room] = position }
        }
        services.chat.engine.attach(
            AttachRequest(
                connection: connection.id, command: command, guestOrigin: guestOrigin(of: identity.user),
                identity: identity, subscribe: request.subscribe, positions: positions))
    }

    private func execute(_ command: UInt32, _ method: String, _ data: ArraySlice<UInt8>) {
        guard let user = session.user else { return }
        do throws(Rejection) {
            let address = ReturnAddress(
                connection: connection.id, command: command, guestOrigin: guestOrigin(of: user))
            try services.chat.commands.start(method, data, by: .user(user), answerTo: address)
        } catch {
            answered(command, .failure(error))
        }
    }

    private func subscribe(_ command: UInt32, _ room: Room, _ request: SubscribeRequest) {
        guard let user = session.user else { return }
        services.chat.engine.subscribe(
            user, to: room, request, on: connection.id, command: command, guestOrigin: guestOrigin(of: user))
    }

    /// A client cannot leave its inbox, because the server finds a user's connections through it.
    private func unsubscribe(_ command: UInt32, _ room: Room) {
        if case .inbox = room {
            return refuse(command, Rejection(.permissionDenied, "cannot unsubscribe from an inbox"))
        }
        server.hub.leave(connection, room)
        send(.unsubscribed(id: command))
    }
}

extension Result<Identity, TokenRefusal> {
    /// Whether the caller is authenticated, or verification failed for a temporary reason that is not the caller's
    /// fault.
    fileprivate var deservesRefund: Bool {
        switch self {
        case .success: true
        case .failure(let refusal): refusal.retryableRejection != nil
        }
    }
}
