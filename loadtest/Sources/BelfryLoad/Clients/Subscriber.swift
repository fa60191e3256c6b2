import BelfryClient

/// One client that listens to one channel, with its ledger.
struct Subscriber: Sendable {
    let link: WatchedClient
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

/// What all subscribers of a channel have heard, and what is wrong with it.
struct Hearing {
    private(set) var missing = 0
    private(set) var doubled = 0
    private(set) var outOfOrder = 0
    private(set) var lostConnections = 0

    /// - Parameters:
    ///   - sent: How many messages were; those that `failed` may be missing.
    mutating func add(
        _ name: String, _ findings: Ledger.Findings, losses: [DisconnectReason], to list: inout ProblemList
    ) {
        missing += findings.missing
        doubled += findings.doubled
        outOfOrder += findings.outOfOrder
        lostConnections += losses.count
        if let first = findings.firstMissing {
            list.add("\(name) misses \(findings.missing) messages, first \(first)")
        }
        if findings.doubled > 0 { list.add("\(name) heard \(findings.doubled) messages twice") }
        if let step = findings.firstOutOfOrder {
            list.add(
                "\(name) heard offset \(step.received) where \(step.expected) was due (\(findings.outOfOrder) such steps)"
            )
        }
        if let reason = losses.first { list.add("\(name) lost its connection \(losses.count) times, first: \(reason)") }
    }
}
