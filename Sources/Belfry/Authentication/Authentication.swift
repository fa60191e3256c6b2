import ChatModel
import HTTPTypes

/// Your own answer to who somebody is, in place of Belfry's tokens or before them.
///
///     configuration.authenticate = { credentials in
///         guard let token = credentials.token, let name = await sessions.user(of: token) else { return .refused }
///         return .user(name, validFor: .seconds(3_600))
///     }
///
/// Asked when a client connects, when it refreshes its token, and with each HTTP request that needs a user. It runs in a
/// task of its own, away from the loops.
public enum Authentication {
    public typealias Check = @Sendable (Credentials) async -> Verdict

    /// What was shown.
    public struct Credentials: Sendable {
        public enum Occasion: Sendable {
            case connect, refresh, request
        }

        public let occasion: Occasion
        /// Of the connect or refresh command, or of `Authorization: Bearer`; nil when there is none.
        public let token: String?
        /// Of the HTTP request, or of the one that opened the WebSocket. Whoever believes cookies must look at `Origin`
        /// too: browsers send them from anywhere.
        public let headerFields: HTTPFields
        /// The client's address, as a trusted proxy tells it; nil when it is not known.
        public let address: String?
    }

    public struct Verdict: Sendable {
        enum Kind: Sendable {
            case user(UserID, validFor: Duration?, issuedAt: Int64?)
            case refused
            case expired
            case asToken
        }
        let kind: Kind

        /// It is this user.
        ///
        /// - Parameters:
        ///   - id: Who it is.
        ///   - validFor: Then the connection ends unless the client refreshes its token; nil for ever.
        ///   - issuedAt: When the token was issued, in seconds since 1970: what `user.revoke_tokens` goes by. Nil where
        ///     your own check says which tokens are good; then that command does not concern them.
        public static func user(_ id: UserID, validFor: Duration? = nil, issuedAt: Int64? = nil) -> Verdict {
            Verdict(kind: .user(id, validFor: validFor, issuedAt: issuedAt))
        }

        /// The same by name; a text that is no user id is refused.
        public static func user(_ name: String, validFor: Duration? = nil, issuedAt: Int64? = nil) -> Verdict {
            UserID(name).map { Verdict.user($0, validFor: validFor, issuedAt: issuedAt) } ?? .refused
        }

        /// Nobody that may come in.
        public static let refused = Verdict(kind: .refused)
        /// It was good once: the client fetches a new token and comes back.
        public static let expired = Verdict(kind: .expired)
        /// Belfry is to judge the token, as if it had not asked.
        public static let asToken = Verdict(kind: .asToken)
    }

    public struct Limits: Sendable, Equatable {
        /// How long a check may take; then its task is cancelled and the client is told to try again (111).
        public var time = Duration.seconds(5)
        /// Checks under way; beyond it clients are told the same.
        public var atOnce = 1_000
        public init() {}
    }
}
