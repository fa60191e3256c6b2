import ChatDomain
import ChatModel
import Simulation
import Testing

/// Tests of the check for messages that end, with frames as a server would write them.
@Suite struct EndingCheckTests {
    private let ann: UserID
    private let tea: ChannelID
    private let message = MessageID(high: 1, low: 1)

    init() throws {
        ann = try #require(UserID("ann"))
        tea = try #require(ChannelID("tea"))
    }

    /// - Parameter events: The events with their authors, one per frame and one second apart.
    private func isBroken(_ events: [(Event, UserID?)]) -> Bool {
        var history = History()
        history.moments = events.enumerated().map { place, event in
            let record = Record(event: event.0, at: Int64(place) * 1_000, by: event.1, positions: [])
            return .appended(History.Frame(sequence: UInt64(place) + 1, records: [record]))
        }
        return history.violations(forgetsEvents: true).contains { $0.guarantee == .endings }
    }

    private func sent(endsAt time: Int64?) -> (Event, UserID?) {
        (
            .messageSent(
                .init(
                    channel: tea, id: message, kind: .text, text: "x", sender: ann, replyToChannel: false,
                    expiresAt: time)), ann
        )
    }

    @Test func `a message that ends too early or twice is detected`() {
        let gone = (Event.messageDeleted(tea, message, files: []), UserID?.none)
        #expect(!isBroken([sent(endsAt: 1_000), gone]))
        #expect(isBroken([sent(endsAt: 1_001), gone]))
        #expect(!isBroken([sent(endsAt: nil), gone]), "the app may delete it")
        #expect(isBroken([sent(endsAt: 1_000), gone, gone]))
        #expect(!isBroken([sent(endsAt: nil), (gone.0, ann)]), "its sender may delete it")
    }
}
