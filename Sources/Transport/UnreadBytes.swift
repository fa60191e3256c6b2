import ChatModel
import Synchronization

/// Bytes waiting to be read by peers, over all connections: limited per user and in total.
///
/// Updated only when something waits and when that amount shrinks; bytes sent immediately cost nothing here.
package final class UnreadBytes: Sendable {
    package struct Limits: Sendable, Equatable {
        /// Per user, over all connections and requests.
        package var ofUser = 33_554_432
        /// In total. Beyond this, a user with more than `alwaysAllowed` bytes waiting counts as slow.
        package var inAll = 1_073_741_824
        package init() {}
    }

    /// Bytes a user may always have waiting, whatever the total.
    static let alwaysAllowed = 1_048_576

    private struct Counts {
        var ofUser: [UserID: Int] = [:]
        var inAll = 0
    }

    private let limits: Limits
    private let counts = Mutex(Counts())

    package init(_ limits: Limits) { self.limits = limits }

    package var inAll: Int { counts.withLock(\.inAll) }
    /// Users with bytes waiting.
    package var userCount: Int { counts.withLock(\.ofUser.count) }

    /// How many more bytes may wait for a user.
    func free(for user: UserID) -> Int {
        counts.withLock { counts in
            let limit = counts.inAll < limits.inAll ? limits.ofUser : Self.alwaysAllowed
            return max(0, limit - (counts.ofUser[user] ?? 0))
        }
    }

    /// - Parameters:
    ///   - user: `nil` for the app's backend and unauthenticated peers, which are limited elsewhere.
    ///   - bytes: The change of the waiting bytes, negative when they shrink.
    /// - Returns: Whether this many may wait.
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

/// One connection's share of the waiting bytes.
///
/// Confined to the connection's loop.
struct UnreadPart: ~Copyable {
    private let unread: UnreadBytes
    private var user: UserID?
    private var bytes = 0

    init(of unread: UnreadBytes) { self.unread = unread }

    deinit { if bytes > 0 { _ = unread.change(user, by: -bytes) } }

    /// - Parameters:
    ///   - bytes: The bytes waiting now.
    ///   - user: The connection's current user.
    /// - Returns: Whether this many may wait.
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
