import BelfryClient

/// What a run of many senders does.
struct IngestPlan: Sendable {
    /// Keeps this run's users, channel and messages apart from others on the same server.
    let run: String
    let channel: ChannelID
    var senders: Int
    /// Whether each sends its next message when the one before is acknowledged; else at the times of `pace`.
    var isClosedLoop: Bool
    /// Its rate is of no account in a closed loop.
    var pace: Pace
    var textBytes: Int
    var loops: Int

    var warmupNanoseconds: UInt64 { UInt64(pace.warmupSeconds) * 1_000_000_000 }
    var nanoseconds: UInt64 { warmupNanoseconds + UInt64(pace.seconds) * 1_000_000_000 }

    func name(of sender: Int) -> String { "load-\(run)-p\(sender)" }
}
