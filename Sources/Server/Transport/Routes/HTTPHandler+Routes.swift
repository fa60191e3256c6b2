import API
import HTTPCodec
import HTTPTypes

/// The connection's side of a request to a host route. Confined to the connection's loop.
final class RouteInProgress {
    let exchange: RouteExchange
    /// When the last byte of the body is due.
    let bodyDeadline: Int64
    let bodyLimit: Int
    var bodyBytes = 0
    var hasBegun = false
    var isChunked = false
    var closes = false
    /// Whether the task is waiting for the outbox to drain.
    var awaitsDrain = false

    init(_ exchange: RouteExchange, bodyLimit: Int, bodyDeadline: Int64) {
        self.exchange = exchange
        self.bodyLimit = bodyLimit
        self.bodyDeadline = bodyDeadline
    }
}

/// Routes of the embedding program. Their handlers run in tasks; this part touches the socket.
extension HTTPHandler {
    /// - Returns: False when no route has the path.
    func beginRoute(_ head: RequestHead) -> Bool {
        switch match(head.request) {
        case .unknown: return false
        case .methodNotAllowed(let allowed):
            isBodyPending = head.framing != .none
            var answer = HTTPAnswer.text(.methodNotAllowed, "use \(allowed)\n")
            answer.response.headerFields[.allow] = allowed
            respond(answer)
        case .matched(let bodyBytes, let start): beginRoute(head, bodyLimit: bodyBytes, start)
        }
        return true
    }

    private func match(_ request: HTTPRequest) -> RouteMatch {
        let services = server.services
        if connection.entrance == .admin { return services.adminRoutes?.match(request) ?? .unknown }
        let path = (request.path ?? "").prefix { $0 != "?" }
        guard services.page?[path] == nil, !HTTPRoute.isInReservedFolder(path) else { return .unknown }
        return services.routes?.match(request) ?? .unknown
    }

    private func beginRoute(
        _ head: RequestHead, bodyLimit: Int, _ start: @Sendable (HTTPRequest, RouteExchange) -> Bool
    ) {
        isBodyPending = head.framing != .none
        if case .length(let length) = head.framing, length > bodyLimit { return respond(tooLarge(bodyLimit)) }
        exchange &+= 1
        let (server, id, limits) = (server, connection.id, server.limits.routes)
        let exchange = RouteExchange(bufferBytes: limits.bufferBytes) { step, exchange in
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
            return respond(answer)
        }
        route = RouteInProgress(
            exchange, bodyLimit: bodyLimit, bodyDeadline: server.now + limits.bodyMilliseconds)
        beginBody(until: server.now + limits.bodyMilliseconds)
    }

    private func tooLarge(_ limit: Int) -> HTTPAnswer {
        .text(.contentTooLarge, "the body is larger than \(limit) bytes\n")
    }

    // MARK: The request's body

    func receiveRouteBody(_ bytes: [UInt8], _ route: RouteInProgress) {
        route.bodyBytes += bytes.count
        guard route.bodyBytes <= route.bodyLimit else {
            route.exchange.endBody(.failed(.bodyTooLarge))
            return endRoute(tooLarge(route.bodyLimit))
        }
        if route.exchange.offer(bytes) { return continueBody(until: route.bodyDeadline) }
        server.services.metrics.routePauses.increment()
        state = .answering
    }

    func completeRouteBody(_ route: RouteInProgress) {
        state = .answering
        route.exchange.endBody(.whole)
    }

    /// While a route runs, the connection is read only to detect its end; bytes of a next request stay unprocessed.
    var watchesForEnd: Bool { route != nil && !isBodyPending && decoder.bufferedBytes == 0 }

    // MARK: The answer

    private func perform(_ step: RouteExchange.Step, of exchange: RouteExchange) {
        guard let route, route.exchange === exchange else { return exchange.abandon() }
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
            connection.write(route.isChunked ? ResponseEncoder.chunk(bytes) : bytes, isAnswer: true)
            confirmWrite(of: route)
        case .end:
            if route.isChunked { connection.write(ResponseEncoder.lastChunk, isAnswer: true) }
            endTransfer(closes: route.closes || isBodyPending)
            resume()
        case .abort: endRoute(.text(.internalServerError, "internal server error\n"))
        case .resumeReading:
            guard isBodyPending, case .answering = state else { return }
            continueBody(until: route.bodyDeadline)
            resume()
        }
    }

    private func begin(_ route: RouteInProgress, _ response: HTTPResponse, _ length: Int64?, _ hasBody: Bool) {
        route.hasBegun = true
        route.isChunked = hasBody && length == nil
        route.closes = !(head?.keepAlive ?? false) || !server.services.readiness.isReady || isBodyPending
        var response = response
        response.headerFields[.date] = server.httpDate
        var bytes: [UInt8] = []
        ResponseEncoder.append(
            response, body: [], closes: route.closes, contentLength: length.map { Int(clamping: $0) },
            isChunked: length == nil, to: &bytes)
        connection.write(bytes, isAnswer: true)
    }

    private func confirmWrite(of route: RouteInProgress) {
        if connection.isOutboxEmpty { route.exchange.pieceWritten() } else { route.awaitsDrain = true }
    }

    func outboxDrained() {
        guard let route, route.awaitsDrain else { return }
        route.awaitsDrain = false
        route.exchange.pieceWritten()
    }

    /// Ends the request before its handler does, and sends this answer unless another has begun.
    func endRoute(_ answer: HTTPAnswer) {
        guard let route else { return respond(answer, closes: true) }
        route.exchange.abandon()
        self.route = nil
        if route.hasBegun { connection.finish([]) } else { respond(answer, closes: true) }
    }
}
