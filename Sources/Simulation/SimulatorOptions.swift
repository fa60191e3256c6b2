import ChatEngine
import Transport

/// What a simulation is made of, apart from its seed.
package struct SimulatorOptions: Sendable, Equatable {
    /// Turns of the world, over all lives of the server.
    package var steps = 120
    /// Small, so that segments change often.
    package var segmentBytes = 2_048
    /// Events that a room's ring holds.
    package var eventsPerRoom = 1_000
    /// The operation of the disk, counted from the first life's beginning, at which the first failure comes; by the seed
    /// when it is absent.
    package var firstFailure: Int?
    package init() {}

    /// After so long a guest who is away is forgotten.
    static let guestAwaySeconds: Int64 = 3

    /// Frames at the journal's end that stay out of snapshots; none are made when it is absent, and it is by the seed.
    package internal(set) var keptFrames: Int?
    /// Their bytes.
    package internal(set) var keptBytes = Int.max

    /// Whether everyone may ask for little: then commands are refused with 111 until time has paid for them.
    package internal(set) var isScarce = false

    /// Whether a client that comes back may be told to fetch anew merely because the rings were too short.
    package var forgetsEvents: Bool { eventsPerRoom < 1_000 || keptFrames != nil }
}

extension WorkLimits {
    /// A few sends at once, and a few more each second.
    static var scarce: Self {
        var limits = Self()
        limits.user.work = WorkRate(perSecond: 200, atOnce: 200)
        limits.guest.work = WorkRate(perSecond: 100, atOnce: 100)
        return limits
    }
}

extension ConnectionLimits {
    /// Limits that a simulation of a few minutes comes up against.
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

/// What befalls one life of a server.
struct Fate {
    enum Failure: Equatable {
        case none
        /// From this operation on nothing reaches the disk any more.
        case powerCut(after: Int)
        /// This one operation fails.
        case error(after: Int, code: Int32)
        /// Nothing may grow beyond what is there and this.
        case noSpace(bytes: Int)
    }

    var failure: Failure
    /// Turns until it ends without a failure.
    var steps: Int
    var end: History.End

    init(_ random: inout SplitMix, isFirst: Bool, _ options: SimulatorOptions) {
        // Some failures come while what the life before left is still being repaired.
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
    private static let inputOutput: Int32 = 5
    private static let noSpaceLeft: Int32 = 28
}
