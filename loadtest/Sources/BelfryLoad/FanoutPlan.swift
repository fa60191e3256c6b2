import BelfryClient

/// What a fan-out run does.
struct FanoutPlan: Sendable {
    /// Keeps this run's users, channel and messages apart from others on the same server.
    let run: String
    let channel: ChannelID
    var subscribers: Int
    var publishers: Int
    /// Messages a second, of all publishers together.
    var rate: Int
    var warmupSeconds: Int
    var seconds: Int
    var textBytes: Int
    var loops: Int
    /// Clients that connect, or join, at the same time.
    var concurrency: Int
    /// Seconds to wait for the last deliveries.
    var drainSeconds: Int

    var warmupMessages: Int { warmupSeconds * rate }
    /// All of them, with those of the warm-up.
    var messages: Int { (warmupSeconds + seconds) * rate }
    var deliveries: Int { messages * subscribers }
    var measuredDeliveries: Int { (messages - warmupMessages) * subscribers }

    /// Descriptors this process needs: one for each connection, and some for itself.
    var descriptors: Int { subscribers + publishers + 64 }
    /// Bytes that the ledgers take.
    var ledgerBytes: Int { (messages + 63) / 64 * 8 * subscribers }

    /// When a message is to leave, in nanoseconds after the start.
    func intended(_ sequence: Int) -> UInt64 { Schedule.intended(sequence, rate: rate) }
}
