import ChatEngine
import Transport

/// The parameters of a simulation, apart from its seed.
package struct SimulatorOptions: Sendable, Equatable {
    /// The number of steps, over all lives of the server.
    package var steps = 120
    /// The size of a journal segment in bytes, small so that segments rotate often.
    package var segmentBytes = 2_048
    /// The capacity of a room's ring in events.
    package var eventsPerRoom = 1_000
    /// The disk operation of the first life at which the first failure occurs; nil derives it from the seed.
    package var firstFailure: Int?
    /// The number of nodes; more than one form a cluster.
    package var nodes = 1
    package init() {}

    /// The absence after which a guest is removed.
    static let guestAwaySeconds: Int64 = 3

    /// The number of frames at the journal's end to leave out of snapshots; nil makes none. Derived from the seed.
    package internal(set) var keptFrames: Int?
    /// The maximum size of those frames in bytes.
    package internal(set) var keptBytes = Int.max

    /// Whether work budgets are small, so that commands are refused with 111 until the budget recovers.
    package internal(set) var isScarce = false

    /// Whether the reply to a recovery may end before the position that the node has reached, and pushes follow.
    package internal(set) var recoversInParts = false

    /// Whether a returning client may have to reload merely because the rings were too short.
    package var forgetsEvents: Bool { eventsPerRoom < 1_000 || keptFrames != nil }
}

extension WorkLimits {
    /// A few sends in a burst, and a few more each second.
    static var scarce: Self {
        var limits = Self()
        limits.user.work = WorkRate(perSecond: 200, burst: 200)
        limits.guest.work = WorkRate(perSecond: 100, burst: 100)
        return limits
    }
}

extension ConnectionLimits {
    /// Sets limits that a simulation of a few minutes reaches.
    init(_ random: inout SplitMix) {
        self.init()
        outbox.bytes = random.pick([1_000, 4_000, 1_048_576])
        outbox.writes = random.pick([24, 16_384])
        connectReplyBytes = random.pick([500, 3_000, connectReplyBytes])
        outbox.stalledMilliseconds = 4_000
        session.pingMilliseconds = 5_000
        session.pongMilliseconds = 3_000
        session.commandsInFlight = random.pick([1, 4, 64])
    }
}

/// The events in one life of a server.
struct RunPlan {
    enum Failure: Equatable {
        case none
        /// From this operation on, nothing reaches the disk.
        case powerCut(after: Int)
        /// Only this operation fails.
        case error(after: Int, code: Int32)
        /// Files may grow by only this many bytes in total.
        case noSpace(bytes: Int)
    }

    var failure: Failure
    /// The number of steps until it ends, unless a failure ends it earlier.
    var steps: Int
    var end: History.End

    init(_ random: inout SplitMix, isFirst: Bool, _ options: SimulatorOptions) {
        // Some failures occur while the server repairs what the previous life left.
        let after = random.chance(percent: 30) ? 1 + random.below(14) : 1 + random.below(70)
        steps = 1 + random.below(50)
        end = random.pick([.powerCut, .powerCut, .killed, .closed])
        switch random.below(10) {
        case 0: failure = .none
        case 1..<6: failure = .powerCut(after: after)
        case 6..<8: failure = .error(after: after, code: random.pick([Self.inputOutput, Self.noSpaceLeft]))
        default: failure = .noSpace(bytes: options.segmentBytes + random.below(2 * options.segmentBytes))
        }
        if isFirst, let first = options.firstFailure { failure = .powerCut(after: first) }
    }

    /// `EIO` and `ENOSPC`.
    static let inputOutput: Int32 = 5
    static let noSpaceLeft: Int32 = 28
}
