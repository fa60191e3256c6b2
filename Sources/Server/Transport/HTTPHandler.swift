import API
import ChatDomain
import ChatModel
import Gateway
import HTTPCodec
import HTTPTypes
import WebSocketCodec
import WireProtocol

/// The HTTP/1.1 side of a connection. It handles one request at a time, until an upgrade or the end.
/// `HTTPExchangeState` decides what to do next, and this class does it.
///
/// Confined to its connection's loop.
final class HTTPHandler: ConnectionHandler {
    typealias State = HTTPExchangeState<OpenFile, RouteInProgress>

    unowned let connection: ServerConnection
    var decoder: RequestDecoder
    var state: State
    var head: RequestHead?
    /// The collected body of the request; bodies that are passed on are not collected.
    var body: [UInt8] = []
    /// The sender of the current request; nil without credentials.
    var sender: Caller?
    var user: UserID? { sender?.user }
    var isServerKey: Bool { sender == .server }
    /// The user's rate limit, as reported in the response; nil when there is none.
    var rateLimit: RateLimitFields?
    /// Requests answered per turn of the loop, before other connections get their share.
    private static let answersPerTurn = 16
    private var answeredInTurn = 0

    init(_ connection: ServerConnection) {
        self.connection = connection
        let server = connection.server
        var http = server.limits.http
        // The limit depends on the route, so this handler enforces it.
        http.bodyBytes = .max / 2
        decoder = RequestDecoder(limits: http)
        state = State(HTTPTimeLimits(server.limits, server.services.content.files.limits), now: server.now)
    }

    deinit { state.route?.exchange.abandon() }

    var server: LoopServer { connection.server }
    var services: Services { connection.server.services }
    var isWebSocket: Bool { false }

    func receive(_ bytes: UnsafeRawBufferPointer) {
        if state.isIdle { state.receiveBytes(now: server.now) }
        decoder.feed(bytes)
        resume()
    }

    func resume() { resume(isServed: false) }

    func resumePostponed() {
        answeredInTurn = 0
        resume(isServed: true)
    }

    /// Smaller bodies are decoded immediately, even in a turn that has used up its bytes.
    static let smallBodyBytes = 4_096

    /// - Parameter isServed: Whether it may decode one body even in a turn that has used up its bytes.
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
                    isServed = false
                    server.charge(body.count)
                    endBody()
                    answeredInTurn += 1
                    if answeredInTurn >= Self.answersPerTurn, connection.isOpen { return postponeToNextTurn() }
                }
            }
        } catch {
            services.metrics.violations.increment()
            interrupt(.text(error.status, error.description + "\n"))
        }
        answeredInTurn = 0
        guard connection.isOpen else { return }
        if acceptsRequests || watchesForEnd {
            connection.resumeReading()
        } else {
            connection.pauseReading()
        }
    }

    /// Continues in the next turn, because a client may send thousands of requests without waiting for answers.
    private func postponeToNextTurn() {
        connection.pauseReading()
        connection.postponeInput()
    }

    private var acceptsRequests: Bool { state.acceptsInput && connection.hasRoomForAnswers }

    /// Whether to read only to detect the end of the connection, while a route answers. Bytes of a next request stay
    /// unprocessed.
    private var watchesForEnd: Bool { state.isRouteAnswering && decoder.bufferedBytes == 0 }

    // MARK: Requests

    private func ownRoute(_ request: HTTPRequest) -> HTTPRoute {
        guard connection.entrance != .admin else { return adminRoute(request) }
        return HTTPRoute(request, servesEcho: services.content.servesEcho)
    }

    /// - Returns: True when nothing more may be read for now, because the request was handed over or answered.
    private func begin(_ head: RequestHead) throws(HTTPViolation) -> Bool {
        state.receiveHead()
        self.head = head
        body = []
        guard admitsToAdmin(head) else { return false }
        switch ownRoute(head.request) {
        case .webSocket:
            let policy = server.limits.compression.chatPolicy
            let fields = services.access.isByHost ? head.request.headerFields : [:]
            return upgrade(head, policy, subprotocols: WireForm.allCases.map(\.subprotocol)) { connection, agreement in
                let form = WireForm(subprotocol: agreement.subprotocol, target: head.request.path ?? "")
                return WebSocketHandler(connection, form, agreement, upgradeFields: fields)
            }
        case .echo:
            return upgrade(head, server.limits.compression.echoPolicy) { connection, agreement in
                EchoHandler(connection, deflate: agreement.deflate)
            }
        case .upload:
            guard acceptsLength(of: head) else {
                refuseTooLarge()
                return false
            }
            authenticate(head.request.headerFields, .upload, isBodyPending: head.framing != .none)
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
        switch state.receiveBody(bytes.count) {
        case .collect:
            try checkBody(body.count + bytes.count)
            body += bytes
        case .write(let file): write(bytes, to: file)
        case .offer(let route): offer(bytes, to: route)
        case .uploadTooLarge: refuseTooLarge()
        case .routeBodyTooLarge(let route, let limit):
            route.exchange.endBody(.failed(.bodyTooLarge))
            interrupt(tooLarge(limit))
        case .ignore: break
        }
    }

    private func checkBody(_ count: Int) throws(HTTPViolation) {
        let limit = server.limits.http.bodyBytes
        guard count <= limit else { throw .bodyTooLarge(limit: limit) }
    }

    private func endBody() {
        switch state.endBody() {
        case .dispatch: dispatch()
        case .complete(let upload): complete(upload)
        case .refuseEmptyUpload: reject(Rejection(.fileRejected, "the file is empty"))
        case .serve(let route): route.exchange.endBody(.whole)
        case .ignore: break
        }
    }

    private func dispatch() {
        guard let head else { return }
        if answerPreflight() { return }
        let own = ownRoute(head.request)
        if rejectIfOverRate(strangerCost(of: own, head.request.path)) { return }
        switch own {
        case .live: respond(.text(.ok, "alive\n"))
        case .ready:
            let isReady = services.content.readiness.isReady
            respond(isReady ? .text(.ok, "ready\n") : .text(.serviceUnavailable, "not ready\n"))
        case .metrics:
            let text = services.content.metricsText()
            respond(HTTPAnswer(.ok, "text/plain; version=0.0.4; charset=utf-8", body: Array(text.utf8)))
        case .openAPI: respondSharing(.result(APIDocuments.openAPI))
        case .asyncAPI: respondSharing(.result(APIDocuments.asyncAPI))
        case .command: authenticate(head.request.headerFields, own)
        case .file(let id): authenticate(head.request.headerFields, .file(id))
        case .methodNotAllowed(let allowed):
            var answer = HTTPAnswer.text(.methodNotAllowed, "method not allowed: use \(allowed)\n")
            answer.response.headerFields[.allow] = allowed
            respond(answer)
        case .notFound where answerPage(head): break
        // The last three were handled when their head arrived.
        case .notFound, .upload, .webSocket, .echo: respond(.text(.notFound, "not found\n"))
        }
    }

    /// The client's address, if known.
    var clientAddress: String? {
        let proxies = server.limits.proxies
        guard connection.awaitsClientAddress, !proxies.sendHeader, let head else { return connection.address }
        return connection.address ?? proxies.client(in: head.request.headerFields)
    }

    // MARK: Time and the end

    var nextDeadline: Int64? { state.deadline(hasRoom: connection.hasRoomForAnswers) }

    var heldBytes: Int { decoder.bufferedBytes + body.count + (state.route?.exchange.heldBytes ?? 0) }

    func tick(now: Int64) {
        let hasInput = decoder.bufferedBytes > 0
        switch state.tick(now: now, hasRoom: connection.hasRoomForAnswers, hasInput: hasInput) {
        case .nothing: break
        case .resume: resume()
        case .closeUnused: connection.finish([])
        case .refuseSlowRequest: interrupt(.text(.requestTimeout, "the request took too long\n"))
        case .closeSlowDownload:
            services.content.files.metrics.slow.increment()
            connection.close()
        }
    }

    func drain() {
        // Let a route finish a response it has begun.
        if state.route == nil, state.isReceiving { connection.finish([]) }
    }

    func closeSlowConsumer() {
        state.route?.exchange.abandon()
        connection.finish([])
    }
}
