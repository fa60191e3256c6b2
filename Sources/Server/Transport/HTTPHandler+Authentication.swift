import API
import ChatDomain
import ChatEngine
import ChatModel
import EventLoops
import Gateway
import HTTPTypes

/// Authenticates requests and applies the rate limits.
extension HTTPHandler {
    /// - Parameter isBodyPending: Whether the body is read only after the request is permitted.
    func authenticate(_ fields: HTTPFields, _ route: HTTPRoute, isBodyPending: Bool = false) {
        state.startAnswering(isBodyPending: isBodyPending)
        let credentials = Credentials(fields)
        if rejectIfOverRate(strangerCost(of: credentials, route)) { return }
        guard accepts(credentials) else { return reject(Rejection(.unauthorized, "X-API-Key is required")) }
        switch credentials {
        case .apiKey(let text):
            do throws(Rejection) {
                let key = try services.access.keys.key(text, now: services.wallClock())
                start(route, .server, key.scopes, .key(key.id))
            } catch {
                rejectCredentials(error)
            }
        case .token(let token): verify(token, fields, route)
        case .none where route.isForNewcomers: start(route, nil, [], nil)
        // A host may authenticate by other header fields.
        case .none where services.access.isByHost: verify(nil, fields, route)
        case .none: reject(Rejection(.unauthorized, "Authorization: Bearer or X-API-Key is required"))
        case .unusable: reject(Rejection(.unauthorized, "exactly one Authorization: Bearer or X-API-Key is required"))
        }
    }

    private func verify(_ token: String?, _ fields: HTTPFields, _ route: HTTPRoute) {
        let (server, id, exchange) = (server, connection.id, state.number)
        let presented = PresentedCredentials(token: token, fields: fields, address: clientAddress, occasion: .request)
        services.access.verify(presented, on: server.loop) { result in
            _ = server.connection(id)?.with(HTTPHandler.self) { $0.verified(result, exchange, route) }
        }
    }

    private func verified(_ result: Result<Identity, TokenRefusal>, _ exchange: UInt32, _ route: HTTPRoute) {
        guard state.isAwaiting(exchange) else { return }
        switch result {
        case .success(let identity): start(route, .user(identity.user), [], .user(identity.user))
        case .failure(.unavailable): reject(TokenRefusal.unavailable.retryableRejection ?? Rejection(.internal))
        case .failure(let refusal):
            rejectCredentials(refusal.retryableRejection ?? Rejection(.unauthorized, "invalid token"))
        }
        resume()
    }

    /// The return address for the answer to the current request.
    var returnAddress: ReturnAddress {
        ReturnAddress(
            connection: connection.id, command: state.number, guestOrigin: guestOrigin, readsLatest: true)
    }

    /// - Parameters:
    ///   - scopes: The server key's scopes.
    ///   - owner: The owner of the request's idempotency key; nil without credentials.
    private func start(
        _ route: HTTPRoute, _ sender: Caller?, _ scopes: Set<KeyScope>, _ owner: IdempotencyStore.Owner?
    ) {
        self.sender = sender
        if sender != nil { connection.authenticate() }
        do throws(Rejection) {
            if sender == .server { try scopes.check(route.scope) }
            try checkRate()
            if sender == nil { try checkGuestRate() }
            switch (route, head, sender) {
            case (.upload, let head?, let sender?): startUpload(head, sender)
            case (.file(let id), let head?, let sender?): startDownload(id, head, sender)
            case (.command(let method), let head?, _):
                try startCommand(method, head.request.headerFields, sender, owner)
                // Release the decoded body, because the answer may take a while.
                body = []
            default: throw Rejection(.internal)
            }
        } catch {
            reject(error)
        }
    }

    /// Charges the user's rate, which requests share with the commands of the user's sessions. The app's backend is not
    /// limited.
    private func checkRate() throws(Rejection) {
        guard let user else { return }
        let rates = services.limits.commands
        let (wait, left) = rates.chargeReportingLeft(user, bytes: body.count, now: services.wallClock())
        rateLimit = RateLimitFields(quota: rates.rate.burst, window: rates.rate.secondsToFill, left: left)
        if let wait {
            services.metrics.commandsRefused.increment()
            throw Rejection(.tooManyRequests, retryAfterMilliseconds: wait)
        }
        // Refuse it before decoding; the engine would refuse it afterwards.
        guard body.count > Self.smallBodyBytes, let wait = services.chat.engine.retryAfter(for: user) else { return }
        services.metrics.commandsRefused.increment()
        throw Rejection(.tooManyRequests, "work budget exceeded", retryAfterMilliseconds: wait)
    }

    private func checkGuestRate() throws(Rejection) {
        // When guests are disabled, the command itself reports that to everyone.
        guard services.chat.engine.guestSettings.isEnabled else { return }
        guard let wait = services.limits.guests.charge(clientAddress, now: services.wallClock()) else { return }
        services.metrics.guestsRefused.increment()
        throw Rejection(.tooManyRequests, "guests created from this address", retryAfterMilliseconds: wait)
    }

    /// The network that a guest, or a client that asks for a guest account, sends this request from.
    private var guestOrigin: GuestOrigin? {
        switch sender {
        case .server?: nil
        case .user(let user)? where !user.isGuest: nil
        case .user?, nil: GuestOrigin(AddressBlock.Pair(clientAddress))
        }
    }
}

extension GuestOrigin {
    convenience init(_ blocks: AddressBlock.Pair) {
        self.init(block: blocks.own.description, network: blocks.network.description)
    }
}
