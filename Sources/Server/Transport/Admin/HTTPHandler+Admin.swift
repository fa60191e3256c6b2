import API
import HTTPCodec
import HTTPTypes

/// The admin listener's own rules: whom it answers, and which of the chat's paths it serves.
extension HTTPHandler {
    /// Refuses requests to the admin listener that come from pages of other sites.
    ///
    /// - Returns: False when the request was refused.
    func admitsToAdmin(_ head: RequestHead) -> Bool {
        guard connection.entrance == .admin, !services.content.adminGuard.admits(head.request) else { return true }
        respond(
            .text(.forbidden, "only for the console and programs, at a loopback address or an allowed host\n"),
            closes: head.framing != .none)
        return false
    }

    /// The paths of the main listener that the console needs: health, commands, and the files of messages. The paths
    /// registered for the admin listener and the console's own files are not found here.
    func adminRoute(_ request: HTTPRequest) -> HTTPRoute {
        let route = HTTPRoute(request, servesEcho: false)
        switch route {
        case .live, .ready, .command, .file: return route
        case .methodNotAllowed(let allowed) where allowed == "POST":
            return (request.path ?? "").hasPrefix("/v1/files") ? .notFound : route
        case .methodNotAllowed, .metrics, .openAPI, .asyncAPI, .upload, .webSocket, .echo, .notFound: return .notFound
        }
    }

    /// Whether the credentials are of the kind that the listener accepts. The admin listener is for server keys only:
    /// users have no business there.
    func accepts(_ credentials: Credentials) -> Bool {
        guard connection.entrance == .admin else { return true }
        if case .apiKey = credentials { return true }
        return false
    }
}
