import API
import ChatEngine
import ChatModel
import EventLoops
import Gateway
import HTTPCodec
import HTTPTypes
import WebSocketCodec
import WireProtocol

/// The HTTP/1.1 side of a connection: one request at a time, until an upgrade or the end.
///
/// Confined to its connection's loop.
final class HTTPHandler: ConnectionHandler {
    enum State {
        case reading
        /// The chat or the token verifier has the request; nothing more is read until the answer.
        case answering
    }

    unowned let connection: ServerConnection
    var decoder: RequestDecoder
    var state = State.reading
    var head: RequestHead?
    /// A file transfer, which takes several steps; other requests take one.
    var transfer: FileTransfer?
    /// When a piece of a download began to wait for the peer to read the previous one.
    var slowSince: Int64?
    /// A request to one of the host's routes.
    var route: RouteInProgress?
    /// The authenticated caller of the current request.
    private var authority = CommandTable.Authority.nobody
    var user: UserID? { if case .user(let user) = authority { user } else { nil } }
    var isServerKey: Bool { authority == .server }
    /// The user's rate limit as reported in the response; nil when there is none.
    var rateLimit: RateLimitFields?
    /// Whether request body bytes are still to come: the connection closes after a response that does not wait for
    /// them.
    var isBodyPending = false
    /// Requests answered in one turn of the loop before other connections get theirs.
    private static let answersPerTurn = 16
    private var answeredInTurn = 0
    var body: [UInt8] = []
    var deadline: Int64
    /// When to read again from a client without credentials that has exceeded its rate.
    var pausedUntil: Int64?
    /// Whether the current request's deadline is running; it does not run between requests. A new connection's first
    /// request is timed from the start.
    var hasBegun = true
    /// Numbers the requests, so that a late answer cannot reach a later request.
    var exchange: UInt32 = 0

    init(_ connection: ServerConnection) {
        self.connection = connection
        let limits = connection.server.limits
        var http = limits.http
        // The limit depends on the route, so this handler enforces it.
        http.bodyBytes = .max / 2
        decoder = RequestDecoder(limits: http)
        deadline = connection.server.now + limits.requestMilliseconds
    }

    deinit { route?.exchange.abandon() }

    var server: LoopServer { connection.server }
    var isWebSocket: Bool { false }

    func receive(_ bytes: UnsafeRawBufferPointer) {
        if !hasBegun {
            hasBegun = true
            deadline = server.now + server.limits.requestMilliseconds
        }
        decoder.feed(bytes)
        resume()
    }

    func resume() { resume(isServed: false) }

    func resumePostponed() {
        answeredInTurn = 0
        resume(isServed: true)
    }

    /// Smaller bodies are decoded at once, even when the turn has done much.
    private static let smallBodyBytes = 4_096

    /// - Parameter isServed: Whether it may decode one body whatever others have used of the turn.
    private func resume(isServed: Bool) {
        pump()
        var isServed = isServed
        do throws(HTTPViolation) {
            while connection.isOpen, acceptsRequests {
                if body.count > Self.smallBodyBytes, !isServed, !server.hasBytesLeft { return postponeToNextTurn() }
                guard let part = try decoder.next() else { break }
                switch part {
                case .head(let head): if try begin(head) { return }
                case .body(let bytes): try receiveBody(bytes)
                case .end:
                    isBodyPending = false
                    isServed = false
                    server.charge(body.count)
                    dispatch()
                    answeredInTurn += 1
                    if answeredInTurn >= Self.answersPerTurn, connection.isOpen { return postponeToNextTurn() }
                }
            }
        } catch {
            server.services.metrics.violations.increment()
            endRoute(.text(error.status, error.description + "\n"))
        }
        answeredInTurn = 0
        guard connection.isOpen else { return }
        if acceptsRequests {
            connection.resumeReading()
        } else if watchesForEnd {
            connection.resumeReading()
        } else {
            connection.pauseReading()
        }
    }

    /// Continues in the next turn: a client may send thousands of requests without waiting for an answer.
    private func postponeToNextTurn() {
        connection.pauseReading()
        connection.postponeInput()
    }

    private var acceptsRequests: Bool {
        guard case .reading = state, pausedUntil == nil else { return false }
        return connection.hasRoomForAnswers
    }

    // MARK: Requests

    /// The admin listener serves none of the chat's paths, only the routes registered for it.
    private func ownRoute(_ request: HTTPRequest) -> HTTPRoute {
        connection.entrance == .admin ? .notFound : HTTPRoute(request, hasEcho: server.services.hasEcho)
    }

    /// - Returns: True when nothing more may be read here: the request was handed over or answered.
    private func begin(_ head: RequestHead) throws(HTTPViolation) -> Bool {
        self.head = head
        body = []
        switch ownRoute(head.request) {
        case .webSocket:
            let policy = server.limits.compression.chatPolicy
            let fields = server.services.authenticator == nil ? [:] : head.request.headerFields
            return upgrade(head, policy, subprotocols: WireForm.allCases.map(\.subprotocol)) { connection, agreement in
                let form = WireForm(subprotocol: agreement.subprotocol, target: head.request.path ?? "")
                return WebSocketHandler(connection, form, agreement, upgradeFields: fields)
            }
        case .echo:
            return upgrade(head, server.limits.compression.echoPolicy) { connection, agreement in
                EchoHandler(connection, deflate: agreement.deflate)
            }
        case .upload:
            isBodyPending = head.framing != .none
            if acceptsLength(of: head) { authenticate(head.request.headerFields, .upload) } else { refuseTooLarge() }
            return false
        case .notFound where beginRoute(head): return false
        default:
            if case .length(let length) = head.framing { try checkBody(length) }
            sendContinue()
            return false
        }
    }

    func sendContinue() {
        guard head?.expectsContinue ?? false else { return }
        var interim: [UInt8] = []
        ResponseEncoder.append(HTTPResponse(status: .continue), body: [], closes: false, to: &interim)
        connection.write(interim)
    }

    private func receiveBody(_ bytes: [UInt8]) throws(HTTPViolation) {
        if transfer != nil { return receiveFile(bytes) }
        if let route { return receiveRouteBody(bytes, route) }
        try checkBody(body.count + bytes.count)
        body += bytes
    }

    private func checkBody(_ count: Int) throws(HTTPViolation) {
        let limit = server.limits.http.bodyBytes
        guard count <= limit else { throw .bodyTooLarge(limit: limit) }
    }

    /// Starts receiving the request's body.
    func beginBody(until end: Int64) {
        sendContinue()
        continueBody(until: end)
    }

    /// Each piece has its own deadline, and the whole body has one too.
    func continueBody(until end: Int64) {
        state = .reading
        deadline = min(end, server.now + server.limits.requestMilliseconds)
    }

    private func dispatch() {
        guard let head else { return }
        if let route { return completeRouteBody(route) }
        if answerPreflight() { return }
        let services = server.services
        let own = ownRoute(head.request)
        if rejectIfOverRate(strangerCost(of: own, head.request.path)) { return }
        switch own {
        case .live: respond(.text(.ok, "alive\n"))
        case .ready:
            respond(
                services.readiness.isReady ? .text(.ok, "ready\n") : .text(.serviceUnavailable, "not ready\n"))
        case .metrics:
            respond(
                HTTPAnswer(.ok, "text/plain; version=0.0.4; charset=utf-8", body: Array(services.metricsText().utf8)))
        case .openAPI: respondSharing(.result(APIDocuments.openAPI))
        case .asyncAPI: respondSharing(.result(APIDocuments.asyncAPI))
        case .command: authenticate(head.request.headerFields, own)
        case .upload: completeFile()
        case .file(let id): authenticate(head.request.headerFields, .file(id))
        case .methodNotAllowed(let allowed):
            var answer = HTTPAnswer.text(.methodNotAllowed, "use \(allowed)\n")
            answer.response.headerFields[.allow] = allowed
            respond(answer)
        case .notFound where answerPage(head): break
        case .notFound, .webSocket, .echo: respond(.text(.notFound, "not found\n"))
        }
    }

    private func authenticate(_ fields: HTTPFields, _ route: HTTPRoute) {
        state = .answering
        exchange &+= 1
        let credentials = Credentials(fields)
        if rejectIfOverRate(strangerCost(of: credentials, route)) { return }
        switch credentials {
        case .apiKey(let text):
            do throws(Rejection) {
                let key = try server.services.keys.key(text, now: server.services.wallClock())
                start(route, .server, key.scopes, .key(key.id))
            } catch {
                rejectCredentials(error)
            }
        case .token(let token): verify(token, fields, route)
        case .none where route.isForNewcomers: start(route, .nobody, [], nil)
        // A host may authenticate by other header fields.
        case .none where server.services.authenticator != nil: verify(nil, fields, route)
        case .none: reject(Rejection(.unauthorized, "Authorization: Bearer or X-API-Key"))
        case .unusable: reject(Rejection(.unauthorized, "one Authorization: Bearer or one X-API-Key"))
        }
    }

    private func verify(_ token: String?, _ fields: HTTPFields, _ route: HTTPRoute) {
        let (server, id, exchange) = (server, connection.id, exchange)
        let presented = PresentedCredentials(token: token, fields: fields, address: clientAddress, occasion: .request)
        server.services.verify(presented, on: server) { result in
            _ = server.connection(id)?.with(HTTPHandler.self) { $0.verified(result, exchange, route) }
        }
    }

    private func verified(_ result: Result<Identity, TokenRefusal>, _ exchange: UInt32, _ route: HTTPRoute) {
        guard exchange == self.exchange, case .answering = state else { return }
        switch result {
        case .success(let identity): start(route, .user(identity.user), [], .user(identity.user))
        case .failure(.unavailable): reject(TokenRefusal.unavailable.retryableRejection ?? Rejection(.internal))
        case .failure(let refusal): rejectCredentials(refusal.retryableRejection ?? Rejection(.unauthorized, "token"))
        }
        resume()
    }

    /// Where the answer to the current request goes.
    var returnAddress: ReturnAddress {
        ReturnAddress(connection: connection.id, command: exchange, guestOrigin: guestOrigin)
    }

    /// - Parameters:
    ///   - scopes: The server key's scopes.
    ///   - caller: The owner of the request's idempotency key; nil without credentials.
    private func start(
        _ route: HTTPRoute, _ authority: CommandTable.Authority, _ scopes: Set<KeyScope>, _ caller: AnswerMemory.Caller?
    ) {
        self.authority = authority
        if authority != .nobody { connection.authenticate() }
        do throws(Rejection) {
            if authority == .server { try scopes.check(route.scope) }
            try checkRate()
            if authority == .nobody { try checkGuestRate() }
            switch (route, head) {
            case (.upload, let head?): startUpload(head, authority)
            case (.file(let id), let head?): startDownload(id, head, authority)
            case (.command(let method), let head?):
                try startCommand(method, head.request.headerFields, authority, caller)
                // Decoded by now; the answer may take a while.
                body = []
            default: throw Rejection(.internal)
            }
        } catch {
            reject(error)
        }
    }

    /// A user's requests share one rate with the commands of the user's sessions; the app's backend is not limited.
    private func checkRate() throws(Rejection) {
        guard let user else { return }
        let rates = server.services.commandRates
        let (wait, left) = rates.chargeReportingLeft(user, bytes: body.count, now: server.services.wallClock())
        rateLimit = RateLimitFields(quota: rates.rate.burst, window: rates.rate.secondsToFill, left: left)
        if let wait {
            server.services.metrics.commandsRefused.increment()
            throw Rejection(.tooManyRequests, retryAfterMilliseconds: wait)
        }
        // The engine would refuse it, once it is decoded.
        guard body.count > Self.smallBodyBytes, let wait = server.services.engine.retryAfter(for: user) else { return }
        server.services.metrics.commandsRefused.increment()
        throw Rejection(.tooManyRequests, "work", retryAfterMilliseconds: wait)
    }

    private func checkGuestRate() throws(Rejection) {
        let services = server.services
        // When guests are disabled, the command itself answers so, to everyone.
        guard services.engine.guestSettings.isEnabled else { return }
        guard let wait = services.guestRates.charge(clientAddress, now: services.wallClock()) else { return }
        services.metrics.guestsRefused.increment()
        throw Rejection(.tooManyRequests, "guests of one address", retryAfterMilliseconds: wait)
    }

    /// The network a guest, or someone asking for a guest account, sends this request from.
    private var guestOrigin: GuestOrigin? {
        switch authority {
        case .server: nil
        case .user(let user) where !user.isGuest: nil
        case .user, .nobody: GuestOrigin(AddressBlock.Pair(clientAddress))
        }
    }

    /// The client's address, if known.
    var clientAddress: String? {
        let proxies = server.limits.proxies
        guard connection.awaitsClientAddress, !proxies.sendHeader, let head else { return connection.address }
        return connection.address ?? proxies.client(in: head.request.headerFields)
    }

    // MARK: Time and the end

    var nextDeadline: Int64? {
        if let pausedUntil { return pausedUntil }
        if let slowSince { return slowSince + server.services.files.limits.pieceMilliseconds }
        guard case .reading = state, connection.hasRoomForAnswers else { return nil }
        return deadline
    }

    var heldBytes: Int { decoder.bufferedBytes + body.count + (route?.exchange.heldBytes ?? 0) }

    func tick(now: Int64) {
        if let pausedUntil {
            if now >= pausedUntil { endPause() }
            return
        }
        if endSlowDownload(now: now) { return }
        guard case .reading = state, connection.hasRoomForAnswers, now >= deadline else { return }
        if head == nil, decoder.bufferedBytes == 0 { return connection.finish([]) }
        endRoute(.text(.requestTimeout, "the request took too long\n"))
    }

    func drain() {
        // Let a route finish the response it has begun.
        if route == nil, case .reading = state { connection.finish([]) }
    }

    func closeSlowConsumer() {
        route?.exchange.abandon()
        connection.finish([])
    }
}

extension GuestOrigin {
    convenience init(_ blocks: AddressBlock.Pair) {
        self.init(block: blocks.own.description, network: blocks.network.description)
    }
}
