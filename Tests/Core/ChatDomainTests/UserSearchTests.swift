import ChatModel
import Testing

@testable import ChatDomain

@Suite struct UserSearchTests {
    private func begin(isAllowed: Bool = true) throws -> Chat {
        var settings = ChatSettings()
        settings.userSearch = isAllowed
        var chat = Chat([ann, bob, cat, dan], settings: settings)
        for (user, name) in [(ann, "Anna"), (bob, "annette"), (cat, "Hannah"), (dan, "ÄNNE")] as [(UserID, String)] {
            try chat.run(UpsertUser(id: user, nickname: name), as: .server)
        }
        return chat
    }

    private func found(_ chat: Chat, _ query: String, as caller: Caller = .user(cat)) throws -> [UserID] {
        var chat = chat
        return try chat.ask(SearchUsers(query: query), as: caller).users.map(\.id)
    }

    @Test func `SE2: users are found by the beginning of the nickname in any case, or by the whole id`() throws {
        let chat = try begin()
        #expect(try found(chat, "ANN") == [ann, bob])
        #expect(try found(chat, "änn") == [dan])
        #expect(try found(chat, "bob") == [bob] && found(chat, "bo") == [] && found(chat, "nobody") == [])
    }

    @Test func `SE2: neither deactivated users are found nor those who have blocked the asker`() throws {
        var chat = try begin()
        try chat.run(BlockUser(userID: cat), as: .user(ann))
        try chat.run(DeactivateUser(userID: dan), as: .server)
        #expect(try found(chat, "ann") == [bob] && found(chat, "ann", as: .user(bob)) == [ann, bob])
        #expect(try found(chat, "änn") == [] && found(chat, "dan", as: .server) == [])
        #expect(try found(chat, "ann", as: .server) == [ann, bob])
        try chat.run(DeleteUser(userID: bob), as: .server)
        #expect(try found(chat, "ann", as: .server) == [ann])
    }

    @Test func `SE2: without the setting only a server key searches, and a bad query is refused`() throws {
        var chat = try begin(isAllowed: false)
        #expect(chat.refusal(of: SearchUsers(query: "ann"), as: .user(cat)) == .featureDisabled)
        #expect(chat.refusal(of: SearchUsers(query: "ann"), as: .server) == nil)
        #expect(chat.refusal(of: SearchUsers(query: ""), as: .server) == .invalidValue)
        #expect(chat.refusal(of: SearchUsers(query: "a\n"), as: .server) == .invalidValue)
        #expect(chat.refusal(of: SearchUsers(query: String(repeating: "a", count: 81)), as: .server) == .tooLong)
    }

    @Test func `SE2: a search has pages`() throws {
        var chat = try begin()
        let first = try chat.ask(SearchUsers(query: "ann", limit: 1), as: .user(cat))
        let second = try chat.ask(SearchUsers(query: "ann", limit: 1, next: first.next), as: .user(cat))
        #expect((first.users + second.users).map(\.id) == [ann, bob] && second.next == nil)
        #expect(chat.refusal(of: SearchUsers(query: "an", next: first.next), as: .user(cat)) == .badRequest)
    }
}
