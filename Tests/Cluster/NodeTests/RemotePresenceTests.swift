import ChatModel
import TestSupport
import Testing

@testable import Cluster

/// The users of another node, as its messages tell.
@Suite struct RemotePresenceTests {
    /// A node that tells others of its users.
    private struct Teller {
        var users: Set<UserID> = []
        var count: UInt64 = 0
        var unsent: [(user: UserID, isConnected: Bool)] = []

        mutating func change(_ random: inout SeededGenerator) {
            let changed = user(random.below(12))
            let isConnected = !users.contains(changed)
            if isConnected { users.insert(changed) } else { users.remove(changed) }
            unsent.append((changed, isConnected))
        }

        mutating func flush() -> RemotePresence.Changes {
            defer { (count, unsent) = (count + UInt64(unsent.count), []) }
            return RemotePresence.Changes(before: count, changes: unsent)
        }

        func page(after user: UserID?) -> (users: [UserID], isLast: Bool) {
            let rest = users.sorted().filter { each in user.map { each > $0 } ?? true }
            return (Array(rest.prefix(3)), rest.count <= 3)
        }
    }

    /// A node that listens, and what it told its engine.
    private struct Scene {
        var random: SeededGenerator
        var teller = Teller()
        var presence = RemotePresence(at: 0)
        var shown: Set<UserID> = []
        var underWay: [RemotePresence.Changes] = []
        var lastOfPage: UserID?
        var questions = 0

        mutating func show(_ difference: RemotePresence.Difference) {
            var counts: [UserID: Int] = [:]
            for user in shown { counts[user] = 1 }
            // As the engine does: first all who came.
            for user in difference.connected { counts[user, default: 0] += 1 }
            for user in difference.disconnected { counts[user, default: 0] -= 1 }
            #expect(counts.values.allSatisfy { $0 == 0 || $0 == 1 })
            shown = Set(counts.filter { $0.value > 0 }.keys)
            #expect(shown == presence.users)
            guard presence.needsQuestion else { return }
            questions += 1
            presence.ask(questions)
            lastOfPage = nil
        }

        mutating func hear(_ changes: RemotePresence.Changes) { show(presence.receive(changes, at: 0)) }

        mutating func turnPage() {
            guard presence.isAsking(questions) else { return }
            let page = teller.page(after: lastOfPage)
            lastOfPage = page.users.last
            show(
                presence.receive(
                    page: page.users, changes: teller.count, isLast: page.isLast || page.users.isEmpty))
        }

        mutating func step() {
            switch random.below(8) {
            case 0, 1, 2: teller.change(&random)
            case 3, 4: underWay.append(teller.flush())
            case 5 where !underWay.isEmpty:
                let index = random.chance(percent: 70) ? 0 : random.below(underWay.count)
                let changes = underWay[index]
                // Otherwise it comes again.
                if random.chance(percent: 80) { underWay.remove(at: index) }
                if random.chance(percent: 90) { hear(changes) }
            case 6 where random.chance(percent: 5):
                presence.giveUp()
            default: turnPage()
            }
        }

        mutating func settle() {
            underWay = []
            for _ in 0..<4 {
                hear(teller.flush())
                while presence.isAsking(questions) { turnPage() }
            }
        }
    }

    @Test(arguments: 1...100 as ClosedRange<UInt64>)
    func `what a node knows of another's users becomes right whatever was lost, repeated or reordered`(seed: UInt64) {
        var scene = Scene(random: SeededGenerator(seed: seed))
        for _ in 0..<400 { scene.step() }
        scene.settle()
        #expect(scene.shown == scene.teller.users, "seed \(seed)")
        #expect(!scene.presence.needsQuestion, "seed \(seed)")
    }

    private func changes(_ before: UInt64, _ changes: [(UserID, Bool)] = []) -> RemotePresence.Changes {
        RemotePresence.Changes(before: before, changes: changes.map { (user: $0.0, isConnected: $0.1) })
    }

    /// - Returns: What is known after a question with one page.
    private func known(_ users: [UserID], changes: UInt64) -> RemotePresence {
        var presence = RemotePresence(at: 0)
        _ = presence.receive(self.changes(0), at: 0)
        presence.ask(1)
        _ = presence.receive(page: users, changes: changes, isLast: true)
        return presence
    }

    @Test func `the first message of a node leads to a question, and a beat after it to none`() {
        var presence = RemotePresence(at: 0)
        let early = presence.receive(changes(5, [("ann", true)]), at: 7)
        #expect(early.isEmpty)
        #expect(presence.needsQuestion)
        #expect(presence.heard == 7)
        presence.ask(1)
        #expect(!presence.needsQuestion)
        let answer = presence.receive(page: ["ann", "bob"], changes: 6, isLast: true)
        #expect(answer.connected == ["ann", "bob"])
        let beat = presence.receive(changes(6), at: 8)
        #expect(beat.isEmpty)
        #expect(!presence.needsQuestion)
    }

    @Test func `a message that overlaps with known changes adds the rest only`() {
        var presence = known(["ann"], changes: 2)
        let news = changes(1, [("bob", true), ("cat", true), ("ann", false)])
        let first = presence.receive(news, at: 0)
        #expect(first == .init(connected: ["cat"], disconnected: ["ann"]))
        #expect(presence.users == ["cat"])
        let second = presence.receive(news, at: 0)
        #expect(second.isEmpty)
    }

    @Test func `after a gap nothing is applied until the node has answered, and the difference is told`() {
        var presence = known(["ann", "bob"], changes: 2)
        let gap = presence.receive(changes(3, [("cat", true)]), at: 0)
        #expect(gap.isEmpty)
        #expect(presence.needsQuestion)
        #expect(presence.users == ["ann", "bob"])
        presence.ask(2)
        #expect(!presence.isAsking(1) && presence.isAsking(2))
        let later = presence.receive(changes(4, [("dan", true)]), at: 0)
        #expect(later.isEmpty)
        let difference = presence.receive(page: ["bob", "cat"], changes: 4, isLast: true)
        #expect(difference == .init(connected: ["cat", "dan"], disconnected: ["ann"]))
        #expect(presence.users == ["bob", "cat", "dan"])
    }

    @Test func `what happens between two pages is applied to both`() {
        var presence = RemotePresence(at: 0)
        _ = presence.receive(changes(0), at: 0)
        presence.ask(1)
        let first = presence.receive(page: ["ann", "bob"], changes: 2, isLast: false)
        #expect(first.isEmpty)
        _ = presence.receive(changes(2, [("ann", false), ("abe", true), ("dan", true)]), at: 0)
        let difference = presence.receive(page: ["cat", "dan"], changes: 5, isLast: true)
        #expect(Set(difference.connected).subtracting(difference.disconnected) == ["abe", "bob", "cat", "dan"])
        #expect(presence.users == ["abe", "bob", "cat", "dan"])
    }

    @Test func `no more users of a node are kept than the limit, by pages or changes`() {
        var presence = RemotePresence(at: 0, limit: 3)
        presence.ask(1)
        #expect(presence.receive(page: (0..<4).map(user), changes: 0, isLast: true).isEmpty)
        #expect(presence.receive(page: [user(0), user(1)], changes: 0, isLast: true).connected == [user(0), user(1)])
        let changes = RemotePresence.Changes(before: 0, changes: (2..<6).map { (user($0), true) })
        #expect(presence.receive(changes, at: 0).connected == [user(2)])
        #expect(presence.users.count == 3)
        // Who is not kept leaves without a trace, and makes no room.
        let leaving = RemotePresence.Changes(before: 4, changes: [(user(5), false), (user(0), false), (user(6), true)])
        let difference = presence.receive(leaving, at: 0)
        #expect(difference == RemotePresence.Difference(connected: [user(6)], disconnected: [user(0)]))
    }

    @Test func `numbers near the greatest one do no harm`() {
        var presence = known(["ann"], changes: .max)
        for news in [changes(.max, [("bob", true), ("cat", true)]), changes(.max - 1, [("bob", true)])] {
            let difference = presence.receive(news, at: 0)
            #expect(difference.isEmpty)
        }
        #expect(presence.users == ["ann"])
    }

    @Test func `a question that is given up is asked again`() {
        var presence = RemotePresence(at: 0)
        _ = presence.receive(changes(0), at: 0)
        presence.ask(1)
        presence.giveUp()
        #expect(presence.needsQuestion)
        let late = presence.receive(page: ["ann"], changes: 1, isLast: true)
        #expect(late.isEmpty && presence.users.isEmpty)
    }
}
