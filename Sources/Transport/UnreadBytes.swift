import ChatModel
import Synchronization

/// What waits to be read, over all connections: a user's share of it, and all of it.
///
/// Touched only when something waits, and when what waits grows less; what leaves at once costs nothing here.
package final class UnreadBytes: Sendable {
    package struct Limits: Sendable, Equatable {
        /// Of one user, over all connections and requests.
        package var ofUser = 33_554_432
        /// Of everybody. Beyond it, whoever has more than `alwaysAllowed` waiting is slow.
        package var inAll = 1_073_741_824
        package init() {}
    }

    /// What a user may have waiting however much the others have.
    static let alwaysAllowed = 1_048_576

    private struct Counts {
        var ofUser: [UserID: Int] = [:]
        var inAll = 0
    }

    private let limits: Limits
    private let counts = Mutex(Counts())

    package init(_ limits: Limits) { self.limits = limits }

    package var inAll: Int { counts.withLock(\.inAll) }
    /// Users for whom something waits.
    package var userCount: Int { counts.withLock(\.ofUser.count) }

    /// How much more may wait for a user, in bytes.
    func free(for user: UserID) -> Int {
        counts.withLock { counts in
            let limit = counts.inAll < limits.inAll ? limits.ofUser : Self.alwaysAllowed
            return max(0, limit - (counts.ofUser[user] ?? 0))
        }
    }

    /// - Parameters:
    ///   - user: `nil` for the app's backend and for those whom nobody knows, who have a limit of their own.
    ///   - bytes: How much more waits, or how much less.
    /// - Returns: Whether it may.
    fileprivate func change(_ user: UserID?, by bytes: Int) -> Bool {
        counts.withLock { counts in
            counts.inAll += bytes
            guard let user else { return true }
            let now = (counts.ofUser[user] ?? 0) + bytes
            counts.ofUser[user] = now > 0 ? now : nil
            return now <= limits.ofUser && (counts.inAll <= limits.inAll || now <= Self.alwaysAllowed)
        }
    }
}

/// One connection's part of what waits.
///
/// Confined to the connection's loop.
struct UnreadPart: ~Copyable {
    private let unread: UnreadBytes
    private var user: UserID?
    private var bytes = 0

    init(of unread: UnreadBytes) { self.unread = unread }

    deinit { if bytes > 0 { _ = unread.change(user, by: -bytes) } }

    /// - Parameters:
    ///   - bytes: What waits now.
    ///   - user: Who speaks on the connection at the moment.
    /// - Returns: Whether so much may wait.
    mutating func set(_ bytes: Int, for user: UserID?) -> Bool {
        guard bytes != self.bytes else { return true }
        if user != self.user {
            if self.bytes > 0 { _ = unread.change(self.user, by: -self.bytes) }
            self.bytes = 0
            self.user = user
        }
        let more = bytes - self.bytes
        self.bytes = bytes
        return unread.change(user, by: more) || more < 0
    }
}
