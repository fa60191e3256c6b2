import ChatDomain
import ChatModel
import Gateway
import Synchronization

/// The users whose older tokens are revoked; a copy of the engine's state that every queue can read.
///
/// The engine records a revocation when it is decided, before any loop receives it. So a loop that checks a token here
/// and accepts it is sent every later revocation after its check.
package final class RevokedTokens: Sendable {
    private struct Seconds {
        /// The second before which a user's tokens are revoked, since 1970. Has at most as many entries as there are
        /// users.
        var users: [UserID: Int64] = [:]
        /// The same for the ids of deleted users, by the ids' keys.
        var erased: [UInt64: Int64] = [:]

        mutating func erase(_ user: ErasedUser) { erased[user.key] = max(erased[user.key] ?? 0, user.before) }
    }

    private let seconds = Mutex(Seconds())

    /// - Returns: The number of users with revoked tokens.
    @discardableResult
    func record(_ user: UserID, before second: Int64) -> Int {
        seconds.withLock { seconds in
            seconds.users[user] = max(seconds.users[user] ?? 0, second)
            return seconds.users.count
        }
    }

    /// Removes a user who was deleted.
    func remove(_ user: UserID) { seconds.withLock { $0.users[user] = nil } }

    /// Refuses the tokens of a deleted user, also for a later user with the same id.
    func erase(_ user: ErasedUser) { seconds.withLock { $0.erase(user) } }

    func replace(_ users: [UserID: Int64], erased: [ErasedUser]) {
        seconds.withLock { seconds in
            seconds = Seconds(users: users)
            for user in erased { seconds.erase(user) }
        }
    }

    package func refuses(_ identity: Identity) -> Bool {
        guard identity.issuedAt != nil else { return false }
        return seconds.withLock { seconds in
            if seconds.users[identity.user].map(identity.wasIssued(before:)) ?? false { return true }
            guard !seconds.erased.isEmpty else { return false }
            return seconds.erased[identity.user.erasureKey].map(identity.wasIssued(before:)) ?? false
        }
    }
}
