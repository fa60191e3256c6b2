import ChatModel
import HTTPTypes

/// Custom authentication, used instead of Belfry's token check or before it.
///
///     configuration.authenticate = { credentials in
///         guard let token = credentials.token, let name = await sessions.user(of: token) else { return .refused }
///         return .user(name, validFor: .seconds(3_600))
///     }
///
/// The server calls it when a client connects, when a client refreshes its token, and for each HTTP request that needs
/// a user. Each call runs in its own task, off the loops.
public enum Authentication {
    /// Authenticates a client by its credentials.
    public typealias Check = @Sendable (Credentials) async -> Verdict

    /// The credentials that the client presented.
    public struct Credentials: Sendable {
        /// The reason the client authenticates.
        public enum Occasion: Sendable {
            /// A connect command, a refresh command, or an HTTP request.
            case connect, refresh, request
        }

        /// The reason the client authenticates.
        public let occasion: Occasion
        /// The token from the connect or refresh command, or from `Authorization: Bearer`; nil if absent.
        public let token: String?
        /// The header fields of the HTTP request, or of the WebSocket's upgrade request. If you accept cookies, also
        /// check `Origin`, because browsers send cookies with requests from any site.
        public let headerFields: HTTPFields
        /// The client's address, as reported by a trusted proxy if there is one; nil if unknown.
        public let address: String?
    }

    /// The outcome of a check.
    public struct Verdict: Sendable {
        enum Kind: Sendable {
            case user(UserID, validFor: Duration?, issuedAt: Int64?)
            case refused
            case expired
            case asToken
        }
        let kind: Kind

        /// Authenticates the client as this user.
        ///
        /// - Parameters:
        ///   - id: The user.
        ///   - validFor: How long the connection lasts unless the client refreshes its token; nil for no limit.
        ///   - issuedAt: When the token was issued, in seconds since 1970; `user.revoke_tokens` compares against it.
        ///     Pass nil if your own check handles revocation; that command then has no effect on the connection.
        public static func user(_ id: UserID, validFor: Duration? = nil, issuedAt: Int64? = nil) -> Verdict {
            Verdict(kind: .user(id, validFor: validFor, issuedAt: issuedAt))
        }

        /// Authenticates the client as the user with this name. A string that is not a valid user id is refused.
        public static func user(_ name: String, validFor: Duration? = nil, issuedAt: Int64? = nil) -> Verdict {
            UserID(name).map { Verdict.user($0, validFor: validFor, issuedAt: issuedAt) } ?? .refused
        }

        /// The client is not authenticated.
        public static let refused = Verdict(kind: .refused)
        /// The token has expired; the client fetches a new one and reconnects.
        public static let expired = Verdict(kind: .expired)
        /// Defers to Belfry's own check of the token.
        public static let asToken = Verdict(kind: .asToken)
    }

    /// Limits of the checks. Each must be greater than 0.
    public struct Limits: Sendable, Equatable {
        /// The time limit of one check. When it expires, the server cancels the check's task and asks the client to
        /// retry (111).
        public var time = Duration.seconds(5)
        /// The maximum number of concurrent checks; beyond this, clients are also asked to retry (111).
        public var maxConcurrentChecks = 1_000
        /// Creates the default limits.
        public init() {}
    }
}
