import ChatDomain
import ChatModel
import Testing

/// Covers `US7`.
@Suite struct LastSeenTests {
    /// Returns the last-seen time reported by a process that starts from the chat's records.
    private func afterRestart(_ chat: Chat, _ user: UserID) throws -> Int64? {
        var parts: [StatePart] = []
        chat.state.parts { parts.append($0) }
        let restored = ChatState()
        for part in parts { try restored.load(part) }
        let told = [chat.replayed, restored].map { state in
            var live = LiveState()
            live.restore(from: state)
            return state.person(user, live.presence)?.lastSeenAt
        }
        #expect(told[0] == told[1], "by records or by a snapshot")
        return told[0]
    }

    @Test func `US7: a user's last-seen time survives a restart, and its record is not published`() throws {
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

    @Test func `US7: users connected when the process ended count as last seen at its last record`() throws {
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

    @Test func `US7: a starting process records the users who did not reconnect`() throws {
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
        // Cat is recorded as connected.
        #expect(sightings == [.init(user: bob, leftAt: end)])
    }

    @Test func `US7: one record holds a thousand users, and the others follow in the next`() {
        let people = (0..<1_001).map { UserID(stringLiteral: "p\($0)") }
        var chat = Chat(people)
        for user in people { chat.connect(user) }
        #expect(chat.recordSightings()?.count == 1_000 && chat.live.presence.hasSightings)
        #expect(chat.recordSightings()?.map(\.user) == [people[1_000]] && !chat.live.presence.hasSightings)
        #expect(chat.recordSightings() == [])
    }

    @Test func `US7: a user who reconnects repeatedly is recorded once`() {
        var chat = Chat()
        for _ in 0..<10 {
            chat.connect(bob)
            chat.disconnect(bob)
        }
        #expect(chat.recordSightings() == [.init(user: bob, leftAt: chat.now - 1)])
    }
}
