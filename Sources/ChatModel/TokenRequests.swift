/// Refuses all tokens of a user that were issued before a second (`iat`), for good, and closes the connections that came
/// with one. Server only.
///
/// The second never goes back; a token without `iat` counts as issued at 0. Refused with 1000 for someone unknown.
public struct RevokeTokens: Request {
    public struct Response: Codable, Hashable, Sendable {
        public var user: User
        /// The second in force, since 1970: the one that was asked for, or a later one from before.
        public var before: Int64

        public init(user: User, before: Int64) {
            self.user = user
            self.before = before
        }
    }
    public static let method = "user.revoke_tokens"
    public var userID: UserID
    /// Seconds since 1970, up to a minute from now; the present second when absent. Tokens of that second itself are taken.
    public var before: Int64?

    public init(userID: UserID, before: Int64? = nil) {
        self.userID = userID
        self.before = before
    }

    enum CodingKeys: String, CodingKey {
        case before
        case userID = "user_id"
    }
}

/// Makes a token with which a user connects, signed with the key of `BELFRY_TOKEN_SECRET`. Server only.
///
/// Refused with 1000 for someone unknown, 1008 for someone deactivated, and 1018 where the server has no key to sign
/// with.
public struct CreateToken: Request {
    public struct Response: Codable, Hashable, Sendable {
        /// JWT (RFC 7519), HS256. Whoever has it is the user: it belongs into no log.
        public var token: String
        /// Milliseconds since 1970, on a whole second.
        public var expiresAt: Int64

        public init(token: String, expiresAt: Int64) {
            self.token = token
            self.expiresAt = expiresAt
        }

        enum CodingKeys: String, CodingKey {
            case token
            case expiresAt = "expires_at"
        }
    }
    public static let method = "token.create"
    public var userID: UserID
    /// How long it is good: up to 100 years; an hour when absent.
    public var seconds: Int64?

    public init(userID: UserID, seconds: Int64? = nil) {
        self.userID = userID
        self.seconds = seconds
    }

    enum CodingKeys: String, CodingKey {
        case seconds
        case userID = "user_id"
    }
}
