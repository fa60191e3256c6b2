import ChatModel

/// The users who wrote in a channel, numbered in the order of their first messages, so that a message stores a number
/// instead of an id. Never shrinks; a deleted user's number remains, without the id.
struct NumberedUsers {
    private var users: [UserID] = []
    private var numbers = ShardedDictionary<UserID, UInt32>()

    /// Forgets a deleted user, of whom no message is left.
    mutating func forget(_ user: UserID, alias: UserID) {
        guard let number = numbers.removeValue(forKey: user) else { return }
        users[Int(number) - 1] = alias
    }

    /// Returns the user with a number; `nil` for the app itself.
    subscript(number: UInt32) -> UserID? { number == 0 ? nil : users[Int(number) - 1] }

    /// Returns the number of a user, 0 for the app itself, and `nil` for a user who has none.
    func number(of user: UserID?) -> UInt32? {
        guard let user else { return 0 }
        return numbers[user]
    }

    /// Returns the number of a user, who gets one if needed.
    mutating func insert(_ user: UserID?) -> UInt32 {
        if let number = number(of: user) { return number }
        guard let user else { return 0 }
        users.append(user)
        let number = UInt32(clamping: users.count)
        numbers[user] = number
        return number
    }
}
