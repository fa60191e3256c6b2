import BelfryClient

/// One client that listens to one channel, with its ledger.
struct Subscriber: Sendable {
    let link: WatchedClient
    let channel: ChannelID
    let ledger: Ledger

    var name: String { link.name }
    var client: BelfryClient { link.client }

    /// - Parameters:
    ///   - run: Marks the messages that count; the channel's other events count by their offsets only.
    ///   - messages: How many there will be.
    ///   - heard: Told of each message when it comes for the first time, on the client's loop.
    init(
        name: String, configuration: BelfryClient.Configuration, channel: ChannelID, run: String, messages: Int,
        heard: @escaping @Sendable (_ text: MessageText, _ ledger: Ledger) -> Void
    ) throws {
        let ledger = Ledger(messages: messages)
        self.channel = channel
        let (channel, marker) = (channel.rawValue, MessageText.marker(run: run))
        var configuration = configuration
        configuration.onPublication = { room, offset, data in
            guard room == channel else { return }
            ledger.note(offset: offset)
            guard let text = MessageText(in: data, marker: marker), ledger.note(message: text.sequence) else { return }
            heard(text, ledger)
        }
        self.ledger = ledger
        link = try WatchedClient(name: name, configuration: configuration)
    }
}
