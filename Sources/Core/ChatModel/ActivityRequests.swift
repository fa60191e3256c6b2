/// A request that names a user and nothing else.
public protocol UserRequest: Request where Response == UserResponse {
    /// The user.
    var userID: UserID { get }
}

/// Deactivates a user: closes their connections and refuses all their calls; memberships stay (`US2`). Server only.
public struct DeactivateUser: UserRequest {
    /// The name of the method on the wire.
    public static let method = "user.deactivate"
    typealias CodingKeys = UserKeys
    /// The user.
    public var userID: UserID

    /// Creates a `user.deactivate` request.
    public init(userID: UserID) { self.userID = userID }
}

/// Reactivates a deactivated user (`US2`). Server only.
public struct ActivateUser: UserRequest {
    /// The name of the method on the wire.
    public static let method = "user.activate"
    typealias CodingKeys = UserKeys
    /// The user.
    public var userID: UserID

    /// Creates a `user.activate` request.
    public init(userID: UserID) { self.userID = userID }
}

/// Closes a user's connections at once, on every device; the user may reconnect with a token that is still valid.
/// Server only.
public struct DisconnectUser: UserRequest {
    /// The name of the method on the wire.
    public static let method = "user.disconnect"
    typealias CodingKeys = UserKeys
    /// The user.
    public var userID: UserID

    /// Creates a `user.disconnect` request.
    public init(userID: UserID) { self.userID = userID }
}
