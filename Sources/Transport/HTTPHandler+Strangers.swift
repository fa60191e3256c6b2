import API
import WireProtocol

/// Requests without credentials, which each address has a rate for.
extension HTTPHandler {
    /// How many requests one to that route counts as; nil for one that is not counted, or not yet.
    func strangerCost(of route: HTTPRoute, _ path: String?) -> Int? {
        guard connection.entrance != .admin else { return nil }
        return switch route {
        // Whoever looks after the server asks these two, and they cost nothing.
        case .live, .ready: nil
        case .metrics: StrangerRates.ofMetrics
        // One visit asks for all files of the page, and they are in memory as they are sent.
        case .notFound where isPageFile(path): nil
        case .openAPI, .asyncAPI, .methodNotAllowed, .notFound, .webSocket, .echo: 1
        case .command, .upload, .file: nil
        }
    }

    /// The same of what a request shows. A token or key is judged first: what it is worth nobody knows yet.
    func strangerCost(of credentials: Credentials, _ route: HTTPRoute) -> Int? {
        switch credentials {
        case .apiKey, .token: nil
        case .none: route.isForNewcomers || server.services.doorkeeper == nil ? 1 : nil
        case .unusable: 1
        }
    }

    /// - Parameter cost: Nil where nothing is counted.
    /// - Returns: True for a request that was refused; the next one on the connection is read after a pause, unless it comes
    ///   from a proxy, whose next request may be another client's.
    func refusesStranger(_ cost: Int?) -> Bool {
        let services = server.services
        guard let cost, let wait = services.strangerRates.take(clientAddress, cost, now: services.wallClock()) else {
            return false
        }
        services.metrics.strangersRefused.increment()
        reject(Rejection(.tooManyRequests, "requests without credentials", retryAfterMilliseconds: wait))
        if connection.isOpen, !connection.isNameless {
            pausedUntil = server.now + server.limits.session.pauseMilliseconds
        }
        return true
    }

    func endPause() {
        pausedUntil = nil
        awaitNext()
        resume()
    }
}
