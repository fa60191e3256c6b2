import BelfryClient

/// The parameters of a fan-out run.
struct FanoutPlan: Codable, Sendable {
    /// Distinguishes the users, channel and messages of this run from those of others on the same server.
    let run: String
    let channel: ChannelID
    var subscribers: Int
    var publishers: Int
    var pace: Pace
    var textBytes: Int
    var loops: Int
    /// Whether subscribers parse frames themselves, without the client library.
    var isRaw = false
    /// Seconds to wait for the last deliveries.
    var drainSeconds: Int

    var deliveries: Int { pace.messages * subscribers }
    /// The memory of the ledgers in bytes.
    var ledgerBytes: Int { (pace.messages + 63) / 64 * 8 * subscribers }

    /// - Throws: `LoadError` when the ledgers would need too much memory.
    func check() throws {
        guard ledgerBytes <= 2_147_483_648 else {
            throw LoadError(
                "\(pace.messages) messages for \(subscribers) subscribers need \(ledgerBytes) bytes of memory:"
                    + " reduce the seconds, the rate or the subscribers")
        }
    }

    func subscriberName(_ number: Int) -> String { "load-\(run)-s\(number)" }

    func subscriber(_ number: Int, of crowd: Crowd, on tally: LoopTally, stretch: @escaping @Sendable (Int) -> Int?)
        throws -> Subscriber
    {
        let name = subscriberName(number)
        var configuration = try crowd.configuration(name, number: number)
        configuration.loop = tally.loop
        return try Subscriber(
            name: name, configuration: configuration, channel: channel, run: run, messages: pace.messages
        ) { text, _ in
            tally.recordDelivery(after: Clock.since(text.intended), in: stretch(text.sequence))
        }
    }
}
