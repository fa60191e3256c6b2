import ChatModel
import Gateway
import Synchronization

/// Whose older tokens are refused: what the state says of it, for every queue to ask.
///
/// The engine notes a revocation when it is decided, before any loop hears of it. So a loop that asks and is told nothing
/// hears of every later revocation behind its question.
package final class RevokedTokens: Sendable {
    /// Seconds since 1970; no more users than there are.
    private let seconds = Mutex<[UserID: Int64]>([:])

    /// - Returns: How many users there are of whom tokens were revoked.
    @discardableResult
    func note(_ user: UserID, before second: Int64) -> Int {
        seconds.withLock { seconds in
            seconds[user] = second
            return seconds.count
        }
    }

    /// Of a user who is not known any more, and never again.
    func forget(_ user: UserID) { seconds.withLock { $0[user] = nil } }

    func replace(_ all: [UserID: Int64]) { seconds.withLock { $0 = all } }

    package func refuses(_ identity: Identity) -> Bool {
        guard identity.issuedAt != nil else { return false }
        return seconds.withLock { $0[identity.user] }.map(identity.isIssued(before:)) ?? false
    }
}
