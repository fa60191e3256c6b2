/// Creates a guest: a person without an account, who may read public channels and, if the settings allow it, write in
/// them. Over HTTP it needs no credentials; server keys may call it too.
///
/// Refused with 1018 if guests are disabled, 111 if an address has created too many, and 1031 if the maximum number of
/// guests exists.
public struct CreateGuest: Request {
    /// The server's answer to `guest.create`.
    public struct Response: Codable, Hashable, Sendable {
        /// The new guest.
        public var user: User
        /// JWT (RFC 7519), HS256. Its holder is the guest: never log it. It is issued only once.
        public var token: String
        /// Milliseconds since 1970, on a whole second.
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
    /// The name of the method on the wire.
    public static let method = "guest.create"
    /// `Guest` and four characters if absent.
    public var nickname: String?

    /// Creates a `guest.create` request; a nil argument leaves its field out.
    public init(nickname: String? = nil) { self.nickname = nickname }
}
