import BelfryClient

/// What a fan-out run does.
struct FanoutPlan: Codable, Sendable {
    /// Keeps this run's users, channel and messages apart from others on the same server.
    let run: String
    let channel: ChannelID
    var subscribers: Int
    var publishers: Int
    var pace: Pace
    var textBytes: Int
    var loops: Int
    /// Whether the subscribers take frames apart without a client library.
    var isRaw = false
    /// Seconds to wait for the last deliveries.
    var drainSeconds: Int

    var deliveries: Int { pace.messages * subscribers }
    /// Bytes that the ledgers take.
    var ledgerBytes: Int { (pace.messages + 63) / 64 * 8 * subscribers }

    /// - Throws: `LoadError` when nobody could keep account of it.
    func check() throws {
        guard ledgerBytes <= 2_147_483_648 else {
            throw LoadError(
                "\(pace.messages) messages for \(subscribers) subscribers need \(ledgerBytes) bytes of memory:"
                    + " lower the seconds, the rate or the subscribers")
        }
    }

    func subscriberName(_ number: Int) -> String { "load-\(run)-s\(number)" }

    func subscriber(_ number: Int, of crowd: Crowd, on tally: LoopTally, stretch: @escaping @Sendable (Int) -> Int?)
        throws -> Subscriber
    {
        let name = subscriberName(number)
        var configuration = try crowd.configuration(name)
        configuration.loop = tally.loop
        return try Subscriber(
            name: name, configuration: configuration, channel: channel, run: run, messages: pace.messages
        ) { text, _ in
            tally.noteDelivery(after: Clock.since(text.intended), in: stretch(text.sequence))
        }
    }
}
