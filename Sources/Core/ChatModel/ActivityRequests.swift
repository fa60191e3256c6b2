/// A request whose only field is a user.
public protocol UserRequest: Request where Response == UserResponse {
    /// The user.
    var userID: UserID { get }
}

/// Deactivates a user: closes their connections and refuses all their calls, but keeps their memberships (`US2`).
/// Server only.
public struct DeactivateUser: UserRequest {
    /// The method name.
    public static let method = "user.deactivate"
    typealias CodingKeys = UserKeys
    /// The user.
    public var userID: UserID

    /// Creates a `user.deactivate` request.
    public init(userID: UserID) { self.userID = userID }
}

/// Reactivates a deactivated user (`US2`). Server only.
public struct ActivateUser: UserRequest {
    /// The method name.
    public static let method = "user.activate"
    typealias CodingKeys = UserKeys
    /// The user.
    public var userID: UserID

    /// Creates a `user.activate` request.
    public init(userID: UserID) { self.userID = userID }
}

/// Closes all connections of a user, on every device. The user may reconnect with a token that is still valid. Server
/// only.
public struct DisconnectUser: UserRequest {
    /// The method name.
    public static let method = "user.disconnect"
    typealias CodingKeys = UserKeys
    /// The user.
    public var userID: UserID

    /// Creates a `user.disconnect` request.
    public init(userID: UserID) { self.userID = userID }
}
