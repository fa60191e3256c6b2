/// Deletes a user for good (`PR1`): the profile, devices, preferences, memberships, invitations, reactions and reports.
/// For server keys.
///
/// Their connections are closed, and tokens issued before are refused. What stays of them, such as messages, names the
/// alias in the response instead. The id may be used again and is then a different user.
public struct DeleteUser: Request {
    /// The response to `user.delete`: the alias that replaces the user.
    public typealias Response = UserResponse
    /// The method name.
    public static let method = "user.delete"
    /// The user.
    public var userID: UserID
    /// Whether to delete the user's messages and their files too; by default they stay.
    public var deleteMessages: Bool?

    /// Creates a `user.delete` request; nil arguments are omitted.
    public init(userID: UserID, deleteMessages: Bool? = nil) {
        self.userID = userID
        self.deleteMessages = deleteMessages
    }

    enum CodingKeys: String, CodingKey {
        case userID = "user_id"
        case deleteMessages = "delete_messages"
    }
}
