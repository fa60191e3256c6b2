/// Permanently revokes all tokens of a user that were issued (`iat`) before a given second, and closes the connections
/// opened with one of them. Server only.
///
/// The second never goes backwards; a token without `iat` counts as issued at 0. Refused with 1000 for an unknown user.
public struct RevokeTokens: Request {
    /// The server's answer to `user.revoke_tokens`.
    public struct Response: Codable, Hashable, Sendable {
        /// The user whose tokens were revoked.
        public var user: User
        /// The second now in force, since 1970: the requested one, or a later one from an earlier request.
        public var before: Int64

        /// Creates a response from its fields.
        public init(user: User, before: Int64) {
            self.user = user
            self.before = before
        }
    }
    /// The name of the method on the wire.
    public static let method = "user.revoke_tokens"
    /// The user.
    public var userID: UserID
    /// Seconds since 1970, at most a minute from now; the current second if absent. Tokens of that second stay valid.
    public var before: Int64?

    /// Creates a `user.revoke_tokens` request; a nil argument leaves its field out.
    public init(userID: UserID, before: Int64? = nil) {
        self.userID = userID
        self.before = before
    }

    enum CodingKeys: String, CodingKey {
        case before
        case userID = "user_id"
    }
}

/// Creates a token for a user to connect with, signed with the key in `BELFRY_TOKEN_SECRET`. Server only.
///
/// Refused with 1000 for an unknown user, 1008 for a deactivated one, and 1018 if the server has no key to sign with.
public struct CreateToken: Request {
    /// The server's answer to `token.create`.
    public struct Response: Codable, Hashable, Sendable {
        /// JWT (RFC 7519), HS256. Its holder acts as the user: never log it.
        public var token: String
        /// Milliseconds since 1970, on a whole second.
        public var expiresAt: Int64

        /// Creates a response from its fields.
        public init(token: String, expiresAt: Int64) {
            self.token = token
            self.expiresAt = expiresAt
        }

        enum CodingKeys: String, CodingKey {
            case token
            case expiresAt = "expires_at"
        }
    }
    /// The name of the method on the wire.
    public static let method = "token.create"
    /// The user.
    public var userID: UserID
    /// How long it is valid: up to 100 years; an hour if absent.
    public var seconds: Int64?

    /// Creates a `token.create` request; a nil argument leaves its field out.
    public init(userID: UserID, seconds: Int64? = nil) {
        self.userID = userID
        self.seconds = seconds
    }

    enum CodingKeys: String, CodingKey {
        case seconds
        case userID = "user_id"
    }
}
