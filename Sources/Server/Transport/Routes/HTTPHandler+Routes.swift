import API
import HTTPCodec
import HTTPTypes

/// The connection's side of a request to a host route. Confined to the connection's loop.
final class RouteInProgress {
    /// A response whose head has been sent.
    struct Response {
        let isChunked: Bool
        let closes: Bool
    }

    let exchange: RouteExchange
    var response: Response?
    /// Whether the task is waiting for the outbox to drain.
    var awaitsDrain = false

    init(_ exchange: RouteExchange) { self.exchange = exchange }
}

/// The embedding program's routes. Their handlers run in tasks; this extension uses the socket.
extension HTTPHandler {
    /// - Returns: False when no route has the path.
    func beginRoute(_ head: RequestHead) -> Bool {
        switch match(head.request) {
        case .unknown: return false
        case .methodNotAllowed(let allowed):
            var answer = HTTPAnswer.text(.methodNotAllowed, "method not allowed: use \(allowed)\n")
            answer.response.headerFields[.allow] = allowed
            respond(answer, closes: head.framing != .none)
        case .matched(let bodyBytes, let start): beginRoute(head, bodyLimit: bodyBytes, start)
        }
        return true
    }

    private func match(_ request: HTTPRequest) -> RouteMatch {
        if connection.entrance == .admin { return services.content.adminRoutes?.match(request) ?? .unknown }
        let path = (request.path ?? "").prefix { $0 != "?" }
        guard services.content.page?[path] == nil, !HTTPRoute.isInReservedFolder(path) else { return .unknown }
        return services.content.routes?.match(request) ?? .unknown
    }

    private func beginRoute(
        _ head: RequestHead, bodyLimit: Int, _ start: @Sendable (HTTPRequest, RouteExchange) -> Bool
    ) {
        if case .length(let length) = head.framing, length > bodyLimit {
            return respond(tooLarge(bodyLimit), closes: true)
        }
        let (server, id) = (server, connection.id)
        let exchange = RouteExchange(bufferBytes: server.limits.routes.bufferBytes) { step, exchange in
            server.loop.post {
                let isDelivered = server.connection(id)?.with(HTTPHandler.self) {
                    $0.perform(step, of: exchange)
                }
                if isDelivered != true { exchange.abandon() }
            }
        }
        guard start(head.request, exchange) else {
            var answer = HTTPAnswer.text(.serviceUnavailable, "too many requests in progress\n")
            answer.response.headerFields[.retryAfter] = "1"
            return respond(answer, closes: head.framing != .none)
        }
        state.startServing(RouteInProgress(exchange), limit: bodyLimit, now: server.now)
        sendContinue()
    }

    func tooLarge(_ limit: Int) -> HTTPAnswer {
        .text(.contentTooLarge, "the body is larger than \(limit) bytes\n")
    }

    // MARK: The request's body

    /// Passes a piece of the body to the task. The connection reads the next piece when the task has read enough.
    func offer(_ bytes: [UInt8], to route: RouteInProgress) {
        if route.exchange.offer(bytes) {
            state.resumeBody(now: server.now)
        } else {
            services.metrics.routePauses.increment()
        }
    }

    // MARK: The answer

    private func perform(_ step: RouteExchange.Step, of exchange: RouteExchange) {
        guard let route = state.route, route.exchange === exchange else { return exchange.abandon() }
        let isChunked = route.response?.isChunked ?? false
        switch step {
        case .whole(let response, let body):
            var answer = HTTPAnswer.text(response.status, "")
            answer.response = response
            answer.body = body
            respond(answer)
            resume()
        case .head(let response, let length, let hasBody):
            begin(route, response, length, hasBody)
            confirmWrite(of: route)
        case .piece(let bytes):
            connection.write(isChunked ? ResponseEncoder.chunk(bytes) : bytes, isAnswer: true)
            confirmWrite(of: route)
        case .end:
            if isChunked { connection.write(ResponseEncoder.lastChunk, isAnswer: true) }
            endTransfer(closes: route.response?.closes ?? false || state.isBodyPending)
            resume()
        case .abort: interrupt(.text(.internalServerError, "internal server error\n"))
        case .resumeReading: if state.resumeBody(now: server.now) { resume() }
        }
    }

    private func begin(_ route: RouteInProgress, _ response: HTTPResponse, _ length: Int64?, _ hasBody: Bool) {
        let closes = !(head?.keepAlive ?? false) || !services.content.readiness.isServing || state.isBodyPending
        route.response = RouteInProgress.Response(isChunked: hasBody && length == nil, closes: closes)
        var response = response
        response.headerFields[.date] = server.httpDate
        var bytes: [UInt8] = []
        ResponseEncoder.append(
            response, body: [], closes: closes, contentLength: length.map { Int(clamping: $0) },
            isChunked: length == nil, to: &bytes)
        connection.write(bytes, isAnswer: true)
    }

    private func confirmWrite(of route: RouteInProgress) {
        if connection.isOutboxEmpty { route.exchange.pieceWritten() } else { route.awaitsDrain = true }
    }

    func outboxDrained() {
        guard let route = state.route, route.awaitsDrain else { return }
        route.awaitsDrain = false
        route.exchange.pieceWritten()
    }
}
