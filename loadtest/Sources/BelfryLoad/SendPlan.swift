import BelfryClient

/// What a run of many senders does.
struct SendPlan: Sendable {
    /// Keeps this run's users, channel and messages apart from others on the same server.
    let run: String
    let channel: ChannelID
    var senders: Int
    /// Messages a second, of all senders together (open loop); `nil`: as fast as they are acknowledged (closed loop).
    var rate: Int?
    var warmupSeconds: Int
    var seconds: Int
    var textBytes: Int
    var loops: Int

    var warmupNanoseconds: UInt64 { UInt64(warmupSeconds) * 1_000_000_000 }
    var nanoseconds: UInt64 { warmupNanoseconds + UInt64(seconds) * 1_000_000_000 }

    func name(of sender: Int) -> String { "load-\(run)-p\(sender)" }
}

/// The times at which messages leave in an open loop.
enum Schedule {
    /// - Returns: When a message is to leave, in nanoseconds after the start.
    static func intended(_ sequence: Int, rate: Int) -> UInt64 {
        // A rate that does not divide a second must not drift.
        UInt64(sequence / rate) * 1_000_000_000 + UInt64(sequence % rate) * 1_000_000_000 / UInt64(rate)
    }
}
