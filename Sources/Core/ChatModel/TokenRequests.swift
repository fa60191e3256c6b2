/// Permanently revokes all tokens of a user that were issued (`iat`) before a given second, and closes the connections
/// opened with them. Server only.
///
/// A second before the one already in effect changes nothing. A token without `iat` counts as issued at 0. Refused with
/// 1000 for an unknown user.
public struct RevokeTokens: Request {
    /// The response to `user.revoke_tokens`.
    public struct Response: Codable, Hashable, Sendable {
        /// The user whose tokens were revoked.
        public var user: User
        /// The second now in effect, since 1970: the requested one, or a later one from an earlier request.
        public var before: Int64

        /// Creates a response from its fields.
        public init(user: User, before: Int64) {
            self.user = user
            self.before = before
        }
    }
    /// The method name.
    public static let method = "user.revoke_tokens"
    /// The user.
    public var userID: UserID
    /// In seconds since 1970, at most a minute from now; absent for the current second. Tokens issued in that second
    /// stay valid.
    public var before: Int64?

    /// Creates a `user.revoke_tokens` request; nil arguments are omitted.
    public init(userID: UserID, before: Int64? = nil) {
        self.userID = userID
        self.before = before
    }

    enum CodingKeys: String, CodingKey {
        case before
        case userID = "user_id"
    }
}

/// Creates a token with which a user can connect, signed with the key in `BELFRY_TOKEN_SECRET`. Server only.
///
/// Refused with 1000 for an unknown user, 1008 for a deactivated user, and 1018 if the server has no signing key.
public struct CreateToken: Request {
    /// The response to `token.create`.
    public struct Response: Codable, Hashable, Sendable {
        /// A JWT (RFC 7519, HS256). Its holder can act as the user, so never log it.
        public var token: String
        /// When the token expires, in milliseconds since 1970; always a whole second.
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
    /// The method name.
    public static let method = "token.create"
    /// The user.
    public var userID: UserID
    /// The lifetime in seconds: at most 100 years; one hour if absent.
    public var seconds: Int64?

    /// Creates a `token.create` request; nil arguments are omitted.
    public init(userID: UserID, seconds: Int64? = nil) {
        self.userID = userID
        self.seconds = seconds
    }

    enum CodingKeys: String, CodingKey {
        case seconds
        case userID = "user_id"
    }
}
