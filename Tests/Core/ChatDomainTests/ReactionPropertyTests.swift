import ChatDomain
import ChatModel
import TestSupport
import Testing
import WireProtocol

/// A client that applies changes in the order of arrival, which may be any order.
private struct Applied: Equatable {
    private var last: [String: [UserID: (operation: ReactionChange.Operation, at: Int64)]] = [:]
    private var counts: [String: (count: Int, at: Int64)] = [:]

    mutating func apply(_ change: ReactionChange) throws {
        let key = try #require(change.key)
        let user = try #require(change.userID)
        let at = try #require(change.updatedAt)
        let count = (count: try #require(change.count), at: at)
        if (counts[key]?.at ?? 0) < at { counts[key] = count }
        let operation = (operation: try #require(change.operation), at: at)
        if (last[key]?[user]?.at ?? 0) < at { last[key, default: [:]][user] = operation }
    }

    var users: [String: Set<UserID>] {
        last.mapValues { Set($0.filter { $0.value.operation == .add }.keys) }.filter { !$0.value.isEmpty }
    }
    var count: [String: Int] { counts.mapValues(\.count).filter { $0.value > 0 } }

    static func == (a: Self, b: Self) -> Bool { a.users == b.users && a.count == b.count }
}

@Suite struct ReactionPropertyTests {
    /// The clock mostly stands still, because the order of changes must not depend on it.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `R2 R3: after any reactions, received in any order, everyone sees the same set and counts`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        let people = (0..<6).map { UserID(stringLiteral: "user\($0)") }
        let keys = ["sob", "rage", "laughing"]
        var chat = Chat(people, seed: seed)
        try chat.create(by: people[0], with: Array(people.dropFirst()))
        let message = try chat.say("hello", by: people[0])
        chat.forgetWhatWasHeard()
        // The users who reacted with a key, in order.
        var naive: [String: [UserID]] = [:]
        for _ in 0..<200 {
            chat.step = random.chance(percent: 20) ? 1 : 0
            let (user, key) = (random.pick(people), random.pick(keys))
            let has = naive[key, default: []].contains(user)
            let reaction: ReactionChange
            if random.chance(percent: 60) {
                reaction = try chat.run(
                    AddReaction(channelID: general, messageID: message.id, key: key), as: .user(user)
                ).reaction
                if !has { naive[key, default: []].append(user) }
                #expect(chat.lastRecords.isEmpty == has, "seed \(seed)")
            } else {
                reaction = try chat.run(
                    RemoveReaction(channelID: general, messageID: message.id, key: key), as: .user(user)
                ).reaction
                naive[key, default: []].removeAll { $0 == user }
                #expect(chat.lastRecords.isEmpty == !has, "seed \(seed)")
            }
            #expect(reaction.count == naive[key, default: []].count, "seed \(seed)")
        }
        let view = try chat.ask(GetMessage(channelID: general, messageID: message.id), as: .user(people[0])).message
        let told = Dictionary(uniqueKeysWithValues: (view.reactions ?? []).map { ($0.key, $0.userIDs) })
        #expect(told == naive.filter { !$0.value.isEmpty }, "seed \(seed)")
        let changes = chat.heard(by: people[1]).compactMap(\.event.reaction)
        #expect(Set(changes.compactMap(\.updatedAt)).count == changes.count, "seed \(seed): no two share a time")
        for _ in 0..<5 {
            var applied = Applied()
            for change in changes.shuffled(using: &random) { try applied.apply(change) }
            #expect(applied.users == told.mapValues(Set.init), "seed \(seed)")
            #expect(applied.count == told.mapValues(\.count), "seed \(seed)")
        }
        _ = tops(chat.records)
        let again = try GetMessage(channelID: general, messageID: message.id).answer(
            from: chat.replayed,
            Context(
                caller: .user(people[0]), now: chat.now, freshID: MessageID(high: 0, low: 0), settings: chat.settings))
        #expect(again.message == view, "seed \(seed): replay equals live state")
    }
}
