import API
import HTTPCodec
import HTTPTypes

/// The rules of the admin listener: which requests, paths and credentials it accepts.
extension HTTPHandler {
    /// Refuses requests to the admin listener that come from pages of other sites.
    ///
    /// - Returns: False if it refused the request.
    func admitsToAdmin(_ head: RequestHead) -> Bool {
        guard connection.entrance == .admin, !services.content.adminGuard.admits(head.request) else { return true }
        respond(
            .text(.forbidden, "only for the console and programs, at a loopback address or an allowed host\n"),
            closes: head.framing != .none)
        return false
    }

    /// Returns the route of a request if the admin listener shares it with the main one: health, commands, and the files
    /// of messages. Returns `.notFound` for all other paths, including those that `AdminRoutes` and the console's files
    /// serve.
    func adminRoute(_ request: HTTPRequest) -> HTTPRoute {
        let route = HTTPRoute(request, servesEcho: false)
        switch route {
        case .live, .ready, .command, .file: return route
        case .methodNotAllowed(let allowed) where allowed == "POST":
            return (request.path ?? "").prefix { $0 != "?" } == "/v1/files" ? .notFound : route
        case .methodNotAllowed, .metrics, .openAPI, .asyncAPI, .upload, .webSocket, .echo, .notFound: return .notFound
        }
    }

    /// Returns whether the listener accepts this kind of credentials. The admin listener accepts server keys only.
    func accepts(_ credentials: Credentials) -> Bool {
        guard connection.entrance == .admin else { return true }
        if case .apiKey = credentials { return true }
        return false
    }
}
