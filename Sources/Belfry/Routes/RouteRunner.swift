import API
import ChatModel
import HTTPTypes
import Logging
import MetricTable
import Metrics
import Synchronization
import Transport

/// Runs route handlers with limited concurrency and sends their responses.
final class RouteRunner: Sendable {
    /// A handler's response had no final status (200 to 599).
    private struct NoFinalStatus: Error {}

    private let middleware: [Routes.Middleware]
    private let maxConcurrentRequests: Int
    private let inFlight = Atomic<Int>(0)
    private let metrics: RouteMetrics
    private let logger: Logger
    /// The server that these routes belong to; weak, because the server owns them.
    private struct Owner: Sendable { weak var server: Server? }
    private let owner = Mutex(Owner())

    init(
        middleware: [Routes.Middleware], maxConcurrentRequests: Int, metrics: RouteMetrics, logger: Logger
    ) {
        self.middleware = middleware
        self.maxConcurrentRequests = maxConcurrentRequests
        self.metrics = metrics
        self.logger = logger
    }

    func attach(to server: Server) { owner.withLock { $0.server = server } }

    /// - Returns: False when the limit is reached.
    func start(_ handler: @escaping Routes.Handler, _ request: HTTPRequest, _ exchange: RouteExchange) -> Bool {
        guard inFlight.wrappingAdd(1, ordering: .relaxed).newValue <= maxConcurrentRequests else {
            inFlight.wrappingSubtract(1, ordering: .relaxed)
            metrics.refused.increment()
            return false
        }
        metrics.requests.increment()
        metrics.inFlight.increment()
        let handler = middleware.reversed().reduce(handler) { next, around in
            { try await around($0, $1, next) }
        }
        exchange.setTask(
            Task {
                await Server.$current.withValue(owner.withLock(\.server)) {
                    await serve(handler, request, exchange)
                }
                inFlight.wrappingSubtract(1, ordering: .relaxed)
                metrics.inFlight.decrement()
            })
        return true
    }

    private func serve(
        _ handler: Routes.Handler, _ request: HTTPRequest, _ exchange: RouteExchange
    ) async {
        do {
            try await send(try await handler(request, RequestBody(exchange: exchange)), to: request, exchange)
        } catch {
            fail(error, request, exchange)
        }
    }

    private func send(
        _ answer: RouteResponse, to request: HTTPRequest, _ exchange: RouteExchange
    ) async throws {
        var head = answer.head
        guard (200...599).contains(head.status.code) else { throw NoFinalStatus() }
        // Hop-by-hop fields and the date belong to the server. RFC 9110 §7.6.1.
        for name in [HTTPField.Name.connection, .upgrade, .date] { head.headerFields[name] = nil }
        let hasBody = request.method != .head && head.status != .noContent && head.status != .notModified
        switch answer.body {
        case .bytes(let bytes) where !hasBody || bytes.count <= RouteExchange.pieceBytes:
            exchange.answer(head, bytes)
        case .bytes(let bytes):
            try await exchange.begin(head, length: Int64(bytes.count), hasBody: true)
            try await exchange.write(bytes)
            _ = exchange.finish()
        case .stream(let length, let write):
            try await exchange.begin(head, length: length, hasBody: hasBody)
            if hasBody { try await write(ResponseWriter(exchange: exchange)) }
            guard exchange.finish() else {
                return report("a route wrote fewer bytes than it declared", request, nil)
            }
        }
    }

    private func fail(_ error: any Error, _ request: HTTPRequest, _ exchange: RouteExchange) {
        // The client has disconnected, or the connection has already ended the exchange.
        guard !exchange.isOver else { return }
        if exchange.hasBegun {
            exchange.abort()
            return report("a route failed in the middle of its response", request, error)
        }
        let answer: HTTPAnswer
        switch error {
        case let rejection as Rejection: answer = .rejected(rejection)
        case RouteError.bodyTooLarge: answer = .text(.contentTooLarge, "the body is too large\n")
        default:
            report("a route failed", request, error)
            answer = .text(.internalServerError, "internal server error\n")
        }
        exchange.answer(answer.response, answer.body)
    }

    /// Logs only the error's type, because its description may contain client data.
    private func report(_ what: Logger.Message, _ request: HTTPRequest, _ error: (any Error)?) {
        metrics.failures.increment()
        let path = (request.path ?? "").prefix { $0 != "?" }
        logger.error(
            what,
            metadata: [
                "method": "\(request.method.rawValue)", "path": "\(path)",
                "error": "\(error.map { String(describing: type(of: $0)) } ?? "none")",
            ])
    }
}

struct RouteMetrics: Sendable {
    let requests: Counter
    let refused: Counter
    let failures: Counter
    let inFlight: Meter

    static func host(_ factory: any MetricsFactory) -> RouteMetrics {
        RouteMetrics(
            requests: Counter(.routeRequests, factory), refused: Counter(.routeRequestsRefused, factory),
            failures: Counter(.routeFailures, factory), inFlight: Meter(.routeRequests, factory))
    }

    static func admin(_ factory: any MetricsFactory) -> RouteMetrics {
        RouteMetrics(
            requests: Counter(.adminRequests, factory), refused: Counter(.adminRequestsRefused, factory),
            failures: Counter(.adminFailures, factory), inFlight: Meter(.adminRequests, factory))
    }
}
