import ChatModel

/// The sender of a request: a user, or a server key, which may act for a user.
package enum Caller: Hashable, Sendable {
    case user(UserID)
    /// A server key that acts for no particular user.
    case server

    package var user: UserID? {
        switch self {
        case .user(let user): user
        case .server: nil
        }
    }
}
