/// Shuts a user out: their connections are closed at once, and they can call nothing; memberships stay (`US2`). Server
/// only.
public struct DeactivateUser: Request {
    public typealias Response = UserResponse
    public static let method = "user.deactivate"
    public var userID: UserID

    public init(userID: UserID) { self.userID = userID }

    enum CodingKeys: String, CodingKey { case userID = "user_id" }
}

/// Lets a deactivated user in again (`US2`). Server only.
public struct ActivateUser: Request {
    public typealias Response = UserResponse
    public static let method = "user.activate"
    public var userID: UserID

    public init(userID: UserID) { self.userID = userID }

    enum CodingKeys: String, CodingKey { case userID = "user_id" }
}
