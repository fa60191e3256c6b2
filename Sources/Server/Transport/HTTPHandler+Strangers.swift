import API
import ChatModel

/// Requests without credentials, which are rate-limited per address.
extension HTTPHandler {
    /// Returns how many requests a request to that route counts as, or nil when it does not count, or not yet.
    func strangerCost(of route: HTTPRoute, _ path: String?) -> Int? {
        guard connection.entrance != .admin else { return nil }
        return switch route {
        // Health checks are free.
        case .live, .ready: nil
        case .metrics: StrangerRates.metricsCost
        // A visit requests all files of the page, which are served from memory.
        case .notFound where isPageFile(path): nil
        case .openAPI, .asyncAPI, .methodNotAllowed, .notFound, .webSocket, .echo: 1
        case .command, .upload, .file: nil
        }
    }

    /// Returns the cost for the given credentials. A token or key costs nothing if it turns out to be valid.
    func strangerCost(of credentials: Credentials, _ route: HTTPRoute) -> Int? {
        switch credentials {
        case .apiKey, .token: nil
        case .none: route.isForNewcomers || !services.access.isByHost ? 1 : nil
        case .unusable: 1
        }
    }

    /// Rejects a request with an invalid token or key. Verification took time, so the request counts as one without
    /// credentials. Requests with valid credentials never wait for others from the same address.
    func rejectCredentials(_ rejection: Rejection) {
        if !rejectIfOverRate(1) { reject(rejection) }
    }

    /// - Parameter cost: Nil when the request is not counted.
    /// - Returns: True when the request was refused. The server then pauses before it reads the connection's next
    ///   request, unless the connection comes from a proxy, whose next request may be another client's.
    func rejectIfOverRate(_ cost: Int?) -> Bool {
        guard let cost else { return false }
        let now = services.wallClock()
        guard let wait = services.limits.strangers.charge(clientAddress, cost, now: now) else { return false }
        services.metrics.strangersRefused.increment()
        reject(
            Rejection(
                .tooManyRequests, "requests without valid credentials from this address", retryAfterMilliseconds: wait))
        if !connection.awaitsClientAddress { state.pause(now: server.now) }
        return true
    }
}
