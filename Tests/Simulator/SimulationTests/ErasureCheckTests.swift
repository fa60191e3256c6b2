import ChatDomain
import ChatModel
import Simulation
import Testing

/// Tests of the checks for deleted users, with frames as a server would write them (`PR1`).
@Suite struct ErasureCheckTests {
    private let ann: UserID
    private let alias = UserID.deleted(7)
    private let tea: ChannelID
    private let message = MessageID(high: 1, low: 1)

    init() throws {
        ann = try #require(UserID("ann"))
        tea = try #require(ChannelID("tea"))
    }

    private var created: Event {
        .channelCreated(
            .init(
                id: tea, epoch: "e", name: "Tea", isPublic: true, isSuper: false, metadata: [:], creatorRole: .member))
    }

    private func sent(by sender: UserID) -> Event {
        .messageSent(
            .init(channel: tea, id: message, kind: .text, text: "a secret", sender: sender, replyToChannel: false))
    }

    private var erasure: [Event] {
        let erased = ErasedUser(key: ann.erasureKey, alias: alias, before: 1, deletesMessages: true)
        return [
            .userDeleted(.init(id: ann, erased: erased)), .messageDeleted(tea, message),
            .userForgotten(ann, alias: alias),
        ]
    }

    /// Whether the report of a chat with one deleted message breaks a guarantee.
    ///
    /// - Parameter answer: What else the chat reports.
    private func broken(_ events: [Event], sender: UserID, reporting answer: String = "{}") -> Set<Violation.Guarantee>
    {
        var history = History()
        var offset: UInt64 = 0
        history.moments = events.enumerated().map { place, event in
            let positions = event.rooms.map { room in
                offset += 1
                return RoomOffset(room: room, offset: offset)
            }
            let record = Record(event: event, at: Int64(place) * 1_000, by: nil, positions: positions)
            return .appended(History.Frame(sequence: UInt64(place) + 1, records: [record]))
        }
        let tombstone = Message(
            id: message, channelID: tea, kind: .text, text: nil, user: User(id: sender, nickname: ""), createdAt: 1,
            deletedAt: 2, parentMessageID: nil, replyToChannel: false, offset: 2)
        history.moments.append(
            .reported(
                View(
                    channels: [View.Channel(id: tea, messages: [tombstone], members: [])],
                    answers: [Array(answer.utf8)])))
        return Set(history.violations(forgetsEvents: true).map(\.guarantee))
    }

    @Test func `a deleted user or text that is still reported is detected`() {
        let events = [created, sent(by: ann)] + erasure
        #expect(broken(events, sender: alias) == [])
        #expect(broken(events, sender: alias, reporting: #"{"id":"ann"}"#) == [.erasure])
        #expect(broken(events, sender: alias, reporting: #"{"text":"a secret"}"#) == [.erasure])
        #expect(broken(events, sender: alias, reporting: #"{"text":"ann"#) == [], "a longer text")
        #expect(broken(events, sender: ann) == [.replay], "the author")
        // While the user is being deleted, both may be shown.
        for sender in [ann, alias] { #expect(broken(Array(events.dropLast()), sender: sender) == []) }
    }

    @Test func `a later user of the id may be reported`() {
        let again = Event.userCreated(.init(id: ann, nickname: "ann", profileURL: nil, metadata: [:], inboxEpoch: "i"))
        let events = [created, sent(by: ann)] + erasure + [again]
        #expect(broken(events, sender: alias, reporting: #"{"id":"ann"}"#) == [])
    }

    @Test func `something that is left on a disk is detected`() {
        var history = History()
        history.moments = [.erased(upTo: 5, leaks: [])]
        #expect(history.violations(forgetsEvents: true).isEmpty)
        history.moments.append(.erased(upTo: 6, leaks: ["block-1 has the text x"]))
        #expect(history.violations(forgetsEvents: true).map(\.guarantee) == [.erasure])
    }

    @Test func `deletions, removals and imports occur, and disks are cleared`() {
        var total = Tally()
        for seed in 1...60 as ClosedRange<UInt64> {
            total.add(Tally(Simulator(seed: seed, options: SimulationTests.options).run().history))
        }
        #expect(total.deletedUsers > 5 && total.erasures > 5 && total.removals > 5 && total.imports > 5, "\(total)")
    }
}
