import ChatDomain
import ChatModel
import TestSupport
import Testing

/// Covers `ME1`.
@Suite struct MemberListTests {
    /// Returns a chat of five users whose nicknames sort differently from their ids: Dora (operator), eva, Ida
    /// (invited), ida, zoe (operator, muted).
    private func people() throws -> Chat {
        var chat = Chat()
        let names: [(UserID, String)] = [(ann, "zoe"), (bob, "Ida"), (cat, "ida"), (dan, "eva"), (eve, "Dora")]
        for (user, name) in names { try chat.run(UpsertUser(id: user, nickname: name), as: .server) }
        try chat.asksBeforeJoining(bob)
        try chat.createGoverned(with: [bob, cat, dan, eve])
        try chat.run(AddOperators(channelID: general, userIDs: [eve]), as: .user(ann))
        try chat.run(MuteMember(channelID: general, userID: ann, seconds: 60), as: .server)
        return chat
    }

    private func list(
        _ chat: inout Chat, limit: Int? = nil, order: ListMembers.Order? = nil,
        operators: ListMembers.OperatorFilter? = nil, muted: Bool? = nil, prefix: String? = nil
    ) throws -> [UserID] {
        try chat.ask(
            ListMembers(
                channelID: general, limit: limit, order: order, operatorFilter: operators, muted: muted,
                nicknamePrefix: prefix), as: .user(cat)
        ).members.map(\.user.id)
    }

    @Test func `ME1: the list shows each member's role, state, joining time and mute`() throws {
        var chat = try people()
        let members = try chat.ask(ListMembers(channelID: general), as: .user(cat)).members
        #expect(members.map(\.user.nickname) == ["Dora", "eva", "Ida", "ida", "zoe"])
        #expect(members.map(\.role) == [.operator, .member, .member, .member, .operator])
        #expect(members.map(\.state) == [.joined, .joined, .invited, .joined, .joined])
        #expect(members.map { $0.joinedAt == nil } == [false, false, true, false, false])
        #expect(members.map { $0.mutedUntil == nil } == [true, true, true, true, false])
        #expect(members.map(\.invitedBy) == [ann, ann, ann, ann, nil])
        chat.now += 60_000
        #expect(try chat.ask(ListMembers(channelID: general), as: .server).members.last?.mutedUntil == nil)
    }

    @Test func `ME1: members sort by nickname or with operators first; equal names sort by id`() throws {
        var chat = try people()
        #expect(try list(&chat) == [eve, dan, bob, cat, ann])
        #expect(try list(&chat, order: .operatorThenNickname) == [eve, ann, dan, bob, cat])
    }

    @Test
    func `ME1: members can be filtered by operators, non-operators, muted, not muted, and nickname prefix`() throws {
        var chat = try people()
        #expect(try list(&chat, operators: .operator) == [eve, ann])
        #expect(try list(&chat, operators: .nonOperator) == [dan, bob, cat])
        #expect(try list(&chat, operators: .all) == [eve, dan, bob, cat, ann])
        #expect(try list(&chat, muted: true) == [ann])
        #expect(try list(&chat, muted: false) == [eve, dan, bob, cat])
        #expect(try list(&chat, operators: .operator, muted: false) == [eve])
        #expect(try list(&chat, prefix: "ID") == [bob, cat])
        #expect(try list(&chat, prefix: "") == [eve, dan, bob, cat, ann])
        #expect(try list(&chat, prefix: "idaa").isEmpty)
        chat.now += 60_000
        #expect(try list(&chat, muted: true).isEmpty)
    }

    @Test func `ME1: a page token is refused with other filters, and limits out of range are refused`() throws {
        var chat = try people()
        try chat.create("other", by: cat)
        let token = try #require(try chat.ask(ListMembers(channelID: general, limit: 2), as: .user(cat)).next)
        #expect(
            chat.refusal(of: ListMembers(channelID: general, limit: 1, next: token, order: .nickname), as: .user(cat))
                == nil, "the size of a page is no filter, nor is the default")
        let others = [
            ListMembers(channelID: general, next: token, order: .operatorThenNickname),
            ListMembers(channelID: general, next: token, operatorFilter: .nonOperator),
            ListMembers(channelID: general, next: token, muted: false),
            ListMembers(channelID: general, next: token, nicknamePrefix: "i"),
            ListMembers(channelID: "other", next: token),
            ListMembers(channelID: general, next: "nonsense"),
        ]
        for request in others { #expect(chat.refusal(of: request, as: .user(cat)) == .badRequest) }
        for limit in [0, 101, .max] {
            #expect(chat.refusal(of: ListMembers(channelID: general, limit: limit), as: .user(cat)) == .invalidValue)
        }
        let long = String(repeating: "x", count: 81)
        #expect(chat.refusal(of: ListMembers(channelID: general, nicknamePrefix: long), as: .user(cat)) == .tooLong)
    }

    @Test(arguments: [(bob, .invitedNotMember), ("eva", .notFound), (cat, nil)] as [(UserID, ErrorCode?)])
    func `ME1: only members see the list; a stranger gets not found`(user: UserID, code: ErrorCode?) throws {
        var chat = try people()
        chat.meet("eva")
        #expect(chat.refusal(of: ListMembers(channelID: general), as: .user(user)) == code)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `ME1: pages return each remaining member once, in order, despite joins, leaves and renames`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        let steady = (0..<40).compactMap { UserID("s\($0)") }
        let moving = (0..<20).compactMap { UserID("m\($0)") }
        var chat = Chat([ann] + steady + moving, seed: seed)
        for user in steady + moving {
            let name = String(UInt8.random(in: 0..<9, using: &random), radix: 10)
            try chat.run(UpsertUser(id: user, nickname: "n" + name), as: .server)
        }
        try chat.createGoverned(with: steady + moving, isPublic: true)
        var seen: [UserID] = []
        var token: String?
        repeat {
            let limit = Int.random(in: 1...7, using: &random)
            let page = try chat.ask(ListMembers(channelID: general, limit: limit, next: token), as: .user(ann))
            #expect(page.members.count == limit || page.next == nil)
            seen += page.members.map(\.user.id)
            token = page.next
            let user = random.pick(moving)
            if chat.refusal(of: LeaveChannel(channelID: general), as: .user(user)) != nil {
                try chat.run(JoinChannel(channelID: general), as: .user(user))
            }
            try chat.run(UpsertUser(id: random.pick(moving), nickname: "n\(seen.count % 10)"), as: .server)
        } while token != nil
        let found = seen.filter { steady.contains($0) }
        var expected: [(String, UserID)] = []
        for user in steady { expected.append((try #require(chat.state.person(user)).nickname, user)) }
        #expect(found == expected.sorted { $0 < $1 }.map(\.1), "seed \(seed)")
    }
}
