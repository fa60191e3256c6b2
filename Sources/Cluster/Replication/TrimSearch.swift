/// When a cluster's log may drop messages.
package struct TrimPolicy: Equatable, Sendable {
    /// How long messages stay although all nodes have them, in milliseconds.
    package let keep: Int64

    /// - Parameter keep: Milliseconds, at least 0.
    package init(keep: Int64) { self.keep = max(0, keep) }

    /// The age in milliseconds from which a message no longer waits for a live node that lacks it.
    package static let patience: Int64 = 86_400_000
    /// A log that is fuller than `pressure` percent of its limit is trimmed regardless of age until it is down to `relief`.
    static let pressure: UInt64 = 75
    static let relief: UInt64 = 50

    /// Returns the first message that stays although the log is nearly full; 0 unless it is. Assumes messages of equal size.
    static func relieved(_ usage: LogUsage) -> UInt64 {
        guard let limit = usage.byteLimit, limit > 0, usage.bytes > 0, isUnderPressure(usage) else { return 0 }
        let excess = Double(usage.bytes) - Double(limit) * Double(relief) / 100
        let count = Double(usage.bounds.last - usage.bounds.first + 1)
        return usage.bounds.first + UInt64((count * excess / Double(usage.bytes)).rounded(.up))
    }

    static func isUnderPressure(_ usage: LogUsage) -> Bool {
        guard let limit = usage.byteLimit, usage.bounds.first <= usage.bounds.last else { return false }
        return Double(usage.bytes) * 100 > Double(limit) * Double(pressure)
    }
}

/// What the nodes of a cluster have, as far as the writer knows.
package struct TrimProgress: Equatable, Sendable {
    /// The last frame that at least two nodes have on their own disks.
    package let mirrored: UInt64
    /// The last frame that all live nodes have on their own disks.
    package let everywhere: UInt64
    /// The last message that all live nodes have read.
    package let read: UInt64

    package init(mirrored: UInt64, everywhere: UInt64, read: UInt64) {
        self.mirrored = mirrored
        self.everywhere = everywhere
        self.read = read
    }

    /// - Parameters:
    ///   - own: The last frame synced by this node, and the last message that it has read.
    ///   - others: The beats of all other live nodes.
    /// - Returns: Nil if there is no other node: a single disk is not enough.
    init?(own: (synced: UInt64, read: UInt64), others: [NodeBeat]) {
        guard !others.isEmpty else { return nil }
        let synced = ([own.synced] + others.map(\.syncedFrame)).sorted(by: >)
        self.init(
            mirrored: synced[1], everywhere: synced[synced.count - 1],
            read: others.reduce(own.read) { min($0, $1.lastMessage) })
    }
}

/// Finds the first message of the log that must stay.
///
/// Messages follow each other in time and in the order of frames, so those that may go are at the beginning. The search
/// first takes growing steps from there, because usually few may go. Pure: the owner reads the messages.
package struct TrimSearch: Sendable {
    package enum Step: Equatable, Sendable {
        /// Read this message, and report it.
        case examine(number: UInt64)
        /// Drop all messages before this one.
        case found(number: UInt64)
    }

    private let policy: TrimPolicy
    private let progress: TrimProgress
    private let now: Int64
    /// The first message that stays even if the log is nearly full.
    private let relieved: UInt64
    /// Messages before `low` may go.
    private var low: UInt64
    /// Messages from `high` on stay.
    private var high: UInt64
    private var step: UInt64 = 1
    private var isClosingIn = false

    /// - Parameter now: Milliseconds since 1970.
    package init(_ usage: LogUsage, _ progress: TrimProgress, _ policy: TrimPolicy, at now: Int64) {
        self.policy = policy
        self.progress = progress
        self.now = now
        relieved = TrimPolicy.relieved(usage)
        low = max(1, usage.bounds.first)
        // The last message stays: a new writer needs its digest.
        high = max(low, usage.bounds.last)
    }

    package var next: Step {
        guard low < high else { return .found(number: low) }
        return .examine(number: low + min(isClosingIn ? (high - low) / 2 : step - 1, high - low - 1))
    }

    /// Receives the message that `next` asked for.
    ///
    /// - Parameter milliseconds: When it was stored, in milliseconds since 1970; nil if that is not known.
    package mutating func receive(_ message: LogMessage, number: UInt64, storedAt milliseconds: Int64?) {
        guard (low..<high).contains(number) else { return }
        if mayGo(message, number, age: milliseconds.map { now - $0 } ?? 0) {
            low = number + 1
            step *= 2
        } else {
            high = number
            isClosingIn = true
        }
    }

    private func mayGo(_ message: LogMessage, _ number: UInt64, age: Int64) -> Bool {
        let frame = message.neededFrame
        // Twice, because one disk may be lost.
        guard frame <= progress.mirrored else { return false }
        if age >= max(policy.keep, TrimPolicy.patience) { return true }
        guard frame <= progress.everywhere, number <= progress.read else { return false }
        return age >= policy.keep || number < relieved
    }
}
