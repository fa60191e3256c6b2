/// Makes a guest: a person without an account, who may look around in public channels and, where the setting allows it, talk
/// there. Over HTTP it takes no credentials; a server key may call it too.
///
/// Refused with 1018 where guests are not welcome, 111 when an address has made too many, and 1031 when there are as many
/// as there may be.
public struct CreateGuest: Request {
    public struct Response: Codable, Hashable, Sendable {
        public var user: User
        /// JWT (RFC 7519), HS256. Whoever has it is the guest: it belongs into no log, and nobody gives it a second time.
        public var token: String
        /// Milliseconds since 1970, on a whole second.
        public var expiresAt: Int64

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
    public static let method = "guest.create"
    /// `Guest` and four characters when absent.
    public var nickname: String?

    public init(nickname: String? = nil) { self.nickname = nickname }
}
