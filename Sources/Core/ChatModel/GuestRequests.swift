/// Creates a guest: a user without an account, who may read public channels and, if the settings allow it, write in
/// them. Needs no credentials over HTTP; server keys may call it too.
///
/// Refused with 1018 if guests are disabled, 111 if the address has created too many, and 1031 if the maximum number of
/// guests exists.
public struct CreateGuest: Request {
    /// The response to `guest.create`.
    public struct Response: Codable, Hashable, Sendable {
        /// The new guest.
        public var user: User
        /// A JWT (RFC 7519, HS256), issued only once. Its holder can act as the guest, so never log it.
        public var token: String
        /// When the token expires, in milliseconds since 1970; always a whole second.
        public var expiresAt: Int64

        /// Creates a response from its fields.
        public init(user: User, token: String, expiresAt: Int64) {
            self.user = user
            self.token = token
            self.expiresAt = expiresAt
        }

        enum CodingKeys: String, CodingKey {
            case user, token
            case expiresAt = "expires_at"
        }
    }
    /// The method name.
    public static let method = "guest.create"
    /// The displayed name; absent for `Guest` and four characters.
    public var nickname: String?

    /// Creates a `guest.create` request; nil arguments are omitted.
    public init(nickname: String? = nil) { self.nickname = nickname }
}
