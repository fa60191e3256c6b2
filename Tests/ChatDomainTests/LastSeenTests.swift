import ChatDomain
import ChatModel
import Testing

/// `US7`
@Suite struct LastSeenTests {
    /// When someone was last seen, as a process tells it that begins where the chat's records end.
    private func afterRestart(_ chat: Chat, _ user: UserID) throws -> Int64? {
        var parts: [StatePart] = []
        chat.state.parts { parts.append($0) }
        var restored = ChatState()
        for part in parts { try restored.take(part) }
        let told = [chat.replayed, restored].map { state in
            var live = LiveState()
            live.restore(from: state)
            return state.person(user, live.presence)?.lastSeenAt
        }
        #expect(told[0] == told[1], "by records or by a snapshot")
        return told[0]
    }

    @Test func `US7: when someone left survives a restart, and nobody is told of the record`() throws {
        var chat = Chat()
        try chat.create(with: [bob])
        #expect(try afterRestart(chat, bob) == nil)
        chat.connect(bob)
        chat.disconnect(bob)
        let left = chat.now
        chat.forgetWhatWasHeard()
        #expect(chat.recordSightings() == [.init(user: bob, leftAt: left)])
        #expect(chat.lastEffects.isEmpty && chat.heard(by: ann).isEmpty && chat.heard(by: bob).isEmpty)
        #expect(try afterRestart(chat, bob) == left)
        #expect(chat.state.person(bob, chat.live.presence)?.lastSeenAt == left)
    }

    @Test func `US7: whoever was connected when the process ended was last seen by its last record`() throws {
        var chat = Chat()
        chat.connect(bob)
        #expect(chat.recordSightings() == [.init(user: bob, leftAt: nil)])
        #expect(chat.recordSightings() == [], "nothing but the time")
        chat.now += 60_000
        #expect(chat.recordSightings() == [])
        #expect(try afterRestart(chat, bob) == chat.now)
        chat.disconnect(bob)
        let left = chat.now
        chat.recordSightings()
        #expect(chat.recordSightings() == nil, "nobody is there and nothing has changed")
        chat.now += 60_000
        try chat.create()
        #expect(try afterRestart(chat, bob) == left)
    }

    @Test func `US7: a process that begins writes down those who did not come back`() throws {
        var chat = Chat()
        chat.connect(bob, cat)
        chat.recordSightings()
        let end = chat.now
        let state = chat.replayed
        var live = LiveState()
        live.restore(from: state)
        _ = live.connect(cat, in: state, at: end + 5_000, ChatSettings())
        guard case .usersSeen(let sightings) = live.nextSightings(in: state) else {
            Issue.record("nothing")
            return
        }
        // Cat is known to be connected.
        #expect(sightings == [.init(user: bob, leftAt: end)])
    }

    @Test func `US7: one record holds a thousand of them, and the rest waits for the next`() {
        let people = (0..<1_001).map { UserID(stringLiteral: "p\($0)") }
        var chat = Chat(people)
        for user in people { chat.connect(user) }
        #expect(chat.recordSightings()?.count == 1_000 && chat.live.presence.hasSightings)
        #expect(chat.recordSightings()?.map(\.user) == [people[1_000]] && !chat.live.presence.hasSightings)
        #expect(chat.recordSightings() == [])
    }

    @Test func `US7: who flaps is written down once`() {
        var chat = Chat()
        for _ in 0..<10 {
            chat.connect(bob)
            chat.disconnect(bob)
        }
        #expect(chat.recordSightings() == [.init(user: bob, leftAt: chat.now - 1)])
    }
}
