import BelfryClient

/// A client that receives one channel, with its ledger.
struct Subscriber: Sendable {
    let link: WatchedClient
    let channel: ChannelID
    let ledger: Ledger

    var name: String { link.name }
    var client: BelfryClient { link.client }

    /// - Parameters:
    ///   - run: The id of the run's messages; for other events of the channel, only the offsets are checked.
    ///   - messages: The total number of messages.
    ///   - onFirstDelivery: Called on the client's loop when a message arrives for the first time.
    init(
        name: String, configuration: BelfryClient.Configuration, channel: ChannelID, run: String, messages: Int,
        onFirstDelivery: @escaping @Sendable (_ text: MessageText, _ ledger: Ledger) -> Void
    ) throws {
        let ledger = Ledger(messages: messages)
        self.channel = channel
        let (channel, marker) = (channel.rawValue, MessageText.marker(run: run))
        var configuration = configuration
        configuration.onPublication = { room, offset, data in
            guard room == channel else { return }
            ledger.record(offset: offset)
            guard let text = MessageText(in: data, marker: marker), ledger.record(message: text.sequence)
            else { return }
            onFirstDelivery(text, ledger)
        }
        self.ledger = ledger
        link = try WatchedClient(name: name, configuration: configuration)
    }
}
