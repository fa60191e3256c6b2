import ChatModel
import Gateway
import Synchronization

/// The users whose older tokens are revoked; a copy of the engine's state that every queue can read.
///
/// The engine records a revocation when it is decided, before any loop receives it. So a loop that checks a token here
/// and accepts it is sent every later revocation after its check.
package final class RevokedTokens: Sendable {
    /// The second before which a user's tokens are revoked, since 1970. Has at most as many entries as there are users.
    private let seconds = Mutex<[UserID: Int64]>([:])

    /// - Returns: The number of users with revoked tokens.
    @discardableResult
    func record(_ user: UserID, before second: Int64) -> Int {
        seconds.withLock { seconds in
            seconds[user] = second
            return seconds.count
        }
    }

    /// Removes a user who was deleted and whose id is never used again.
    func remove(_ user: UserID) { seconds.withLock { $0[user] = nil } }

    func replace(_ all: [UserID: Int64]) { seconds.withLock { $0 = all } }

    package func refuses(_ identity: Identity) -> Bool {
        guard identity.issuedAt != nil else { return false }
        return seconds.withLock { $0[identity.user] }.map(identity.wasIssued(before:)) ?? false
    }
}
