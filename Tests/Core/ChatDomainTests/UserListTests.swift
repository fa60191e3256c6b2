import ChatDomain
import ChatModel
import TestSupport
import Testing
import WireProtocol

/// Covers `US5`.
@Suite struct UserListTests {
    /// Returns a chat in which two users have the same name apart from case, and dan sorts first by name but not by id.
    private func begin() throws -> Chat {
        var chat = Chat([ann, bob, cat, dan, eve])
        for (user, nickname) in [(ann, "Zoe"), (bob, "mia"), (cat, "Mia"), (dan, "Abel"), (eve, "zora")] {
            try chat.run(UpsertUser(id: user, nickname: nickname), as: .server)
        }
        return chat
    }

    @Test func `US5: users are listed by nickname and then by id, regardless of the requested order`() throws {
        var chat = try begin()
        let answer = try chat.ask(ListUsers(userIDs: [eve, cat, bob, "nobody", dan, eve]), as: .user(ann))
        #expect(answer.users.map(\.id) == [dan, bob, cat, eve] && answer.next == nil)
        #expect(answer.users.map(\.nickname) == ["Abel", "mia", "Mia", "zora"])
        #expect(answer.users.allSatisfy { $0.isActive == true })
    }

    @Test(arguments: 1...6) func `US5: pages of any size add up to the complete list`(limit: Int) throws {
        var chat = try begin()
        var token: String?
        var (named, all): ([UserID], [UserID]) = ([], [])
        repeat {
            let page = try chat.ask(
                ListUsers(userIDs: [ann, bob, cat, dan, eve], limit: limit, next: token), as: .user(ann))
            named += page.users.map(\.id)
            token = page.next
        } while token != nil
        repeat {
            let page = try chat.ask(ListAllUsers(limit: limit, next: token), as: .server)
            #expect(page.users.count <= limit)
            all += page.users.map(\.id)
            token = page.next
        } while token != nil
        #expect(named == [dan, bob, cat, ann, eve] && all == named)
    }

    @Test func `US5: a list contains all users including deactivated ones, or those with a nickname prefix`() throws {
        var chat = try begin()
        try chat.run(DeactivateUser(userID: cat), as: .server)
        let all = try chat.ask(ListAllUsers(), as: .server).users
        #expect(all.map(\.id) == [dan, bob, cat, ann, eve] && all.map(\.isActive) == [true, true, false, true, true])
        #expect(try chat.ask(ListAllUsers(nicknamePrefix: "MI"), as: .server).users.map(\.id) == [bob, cat])
        #expect(try chat.ask(ListAllUsers(nicknamePrefix: "x"), as: .server).users.isEmpty)
    }

    @Test func `US5: the list of ids is limited, and a page token is valid only for its filters`() throws {
        var chat = try begin()
        let many = (0...250).compactMap { UserID("u\($0)") }
        #expect(chat.refusal(of: ListUsers(userIDs: []), as: .user(ann)) == .invalidValue)
        #expect(chat.refusal(of: ListUsers(userIDs: many), as: .user(ann)) == .tooMany)
        #expect(chat.refusal(of: ListUsers(userIDs: Array(many.dropLast())), as: .user(ann)) == nil)
        #expect(chat.refusal(of: ListUsers(userIDs: [ann], limit: 101), as: .user(ann)) == .invalidValue)
        let token = try #require(try chat.ask(ListUsers(userIDs: [ann, bob], limit: 1), as: .user(ann)).next)
        #expect(chat.refusal(of: ListUsers(userIDs: [ann, bob], next: token), as: .user(ann)) == nil)
        #expect(chat.refusal(of: ListUsers(userIDs: [ann, cat], next: token), as: .user(ann)) == .badRequest)
        #expect(chat.refusal(of: ListAllUsers(next: token), as: .server) == .badRequest)
    }
}
