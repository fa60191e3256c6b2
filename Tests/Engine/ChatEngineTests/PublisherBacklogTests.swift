import ChatDomain
import ChatModel
import Testing

@testable import ChatEngine

/// N02 and N81: commands of 60 bytes that cause events of 240 KiB were charged as 60 bytes, and a burst of them delayed
/// everyone's acknowledgements.
@Suite struct PublisherBacklogTests {
    private let ann: UserID = "ann"
    private let bob: UserID = "bob"

    /// Returns a bench with a channel whose events have 240 KiB.
    private func begin() -> Bench {
        let bench = Bench()
        bench.attach(ann)
        bench.attach(bob)
        bench.change(CreateChannel(id: general, userIDs: [bob], operatorUserIDs: [ann]), as: ann)
        bench.engine.change(
            SetChannelMetadata(
                channelID: general,
                metadata: Dictionary(
                    uniqueKeysWithValues: (0..<40).map { ("k\($0)", String(repeating: "\u{1}", count: 1_024)) })),
            as: .server, answerTo: bench.address(4))
        bench.settle()
        bench.log.sync()
        _ = bench.ear.news()
        return bench
    }

    /// - Returns: The number of executed commands.
    private func freeze(_ count: Int, _ bench: Bench, syncing: Bool) -> Int {
        for number in 0..<count {
            if number % 2 == 0 {
                bench.change(FreezeChannel(channelID: general), as: ann)
            } else {
                bench.change(UnfreezeChannel(channelID: general), as: ann)
            }
            if syncing { bench.log.sync() }
        }
        bench.log.sync()
        return bench.ear.news().count { $0 == "answer 1" }
    }

    @Test func `a small command with a large event is charged for the event`() {
        let bench = begin()
        // Half a second of work is available immediately, and 240 KiB take 6 ms.
        let done = freeze(150, bench, syncing: true)
        #expect(done > 70 && done < 90)
        #expect(bench.engine.backlog.count == 0)
    }

    @Test func `only a user with too many unpublished event bytes is refused`() {
        let bench = begin()
        #expect(freeze(20, bench, syncing: false) == 9, "9 have 2.2 MB")
        #expect(bench.engine.backlog.count == 0)
        #expect(freeze(2, bench, syncing: true) > 0, "they are published by now")
        for _ in 0..<20 { bench.change(FreezeChannel(channelID: general), as: ann) }
        bench.change(SendMessage(channelID: general, text: "hello"), as: bob, 5)
        bench.log.sync()
        #expect(bench.ear.news().contains { $0.hasPrefix("answer 5") && !$0.hasSuffix("111") })
    }

    @Test func `neither ordinary events nor the app's backend are counted`() {
        let backlog = PublisherBacklog()
        #expect(backlog.charge(PublisherBacklog.smallest - 1, to: .user(ann)) == nil)
        #expect(backlog.charge(.max, to: .server) == nil)
        #expect(backlog.count == 0 && !backlog.isOver(.server))
        let debts = (0..<4).compactMap { _ in backlog.charge(PublisherBacklog.share / 4, to: .user(ann)) }
        #expect(debts.count == 4 && backlog.isOver(.user(ann)) && !backlog.isOver(.user(bob)))
        backlog.settle(debts[0])
        #expect(!backlog.isOver(.user(ann)))
        for debt in debts.dropFirst() { backlog.settle(debt) }
        #expect(backlog.count == 0)
    }

    @Test func `the longest texts that one connection can have in flight are accepted`() {
        let text = String(repeating: "x", count: FieldLimits.textBytes)
        let event = TypedEvent(
            type: .messageNew, at: 1, by: ann,
            message: Message(
                id: MessageID(high: 1, low: 1), channelID: general, kind: .text, text: text, user: nil, createdAt: 1,
                offset: 1, data: String(repeating: "x", count: FieldLimits.dataBytes)))
        #expect(64 * Effect.deliver(event, to: .channel(general)).cost < PublisherBacklog.share)
    }
}
