import API
import ChatModel

/// Requests without credentials, which are rate-limited per address.
extension HTTPHandler {
    /// How many requests a request to that route counts as; nil when it is not counted, or not yet.
    func strangerCost(of route: HTTPRoute, _ path: String?) -> Int? {
        guard connection.entrance != .admin else { return nil }
        return switch route {
        // Health checks are free.
        case .live, .ready: nil
        case .metrics: StrangerRates.metricsCost
        // A visit requests all files of the page, and they are served from memory.
        case .notFound where isPageFile(path): nil
        case .openAPI, .asyncAPI, .methodNotAllowed, .notFound, .webSocket, .echo: 1
        case .command, .upload, .file: nil
        }
    }

    /// The cost by the credentials shown. A token or key is free if it turns out to be valid.
    func strangerCost(of credentials: Credentials, _ route: HTTPRoute) -> Int? {
        switch credentials {
        case .apiKey, .token: nil
        case .none: route.isForNewcomers || !services.access.isByHost ? 1 : nil
        case .unusable: 1
        }
    }

    /// Answers a request whose token or key is not valid. Verifying it took time, so it counts as a request without
    /// credentials; requests with valid ones never wait for others from the same address.
    func rejectCredentials(_ rejection: Rejection) {
        if !rejectIfOverRate(1) { reject(rejection) }
    }

    /// - Parameter cost: Nil when the request is not counted.
    /// - Returns: True when the request was refused. The connection's next request is then read after a pause, unless
    ///   it comes from a proxy, whose next request may be another client's.
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
