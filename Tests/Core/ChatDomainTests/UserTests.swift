import ChatDomain
import ChatModel
import Testing

/// Covers `US1` and `US3`.
@Suite struct UserTests {
    @Test(arguments: [
        ("a", true), ("", false), (String(repeating: "é", count: 80), true), (String(repeating: "é", count: 81), false),
        (String(repeating: "😀", count: 80), true), ("a\u{0}", false), ("a\u{1F}", false), ("a b", true),
        ("a\u{7E}", true), ("a\u{7F}", false), ("a\u{9F}", false), ("a\u{A0}", true), ("#a/b?c", true),
    ])
    func `US1: a user id has 1 to 80 characters and no control characters`(text: String, isValid: Bool) {
        #expect((UserID(text) != nil) == isValid)
    }

    /// Swift compares strings by canonical equivalence, unlike an app's user store. Otherwise, registering a
    /// canonically equivalent name would take over that user here.
    @Test func `US1: user ids that differ in any byte identify different users`() throws {
        let composed: UserID = "jos\u{E9}"
        let decomposed: UserID = "jose\u{301}"
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
        #expect(Room.inbox(composed) != Room.inbox(decomposed))
        #expect((composed < decomposed) != (decomposed < composed))
        // Also with equal length: the same two combining marks in another order.
        let below: UserID = "a\u{323}\u{307}"
        let above: UserID = "a\u{307}\u{323}"
        #expect(below != above)
        var chat = Chat([composed])
        try chat.create(by: composed)
        try chat.say("secret", by: composed)
        chat.meet(decomposed)
        #expect(chat.refusal(of: ListMessages(channelID: general), as: .user(decomposed)) == .notFound)
        #expect(chat.state.userCount == 2)
    }

    @Test(arguments: [
        ("a", true), ("", false), (String(repeating: "a", count: 100), true),
        (String(repeating: "a", count: 101), false),
        ("A-z_0.9~", true), ("a/b", false), ("#a", false), ("é", false), ("a b", false), ("a%2f", false),
    ])
    func `a channel id has only allowed characters, and at most 100 of them`(text: String, isValid: Bool) {
        #expect((ChannelID(text) != nil) == isValid)
    }

    @Test func `US1: a new user is created once and named after the id`() {
        var chat = Chat([ann])
        chat.meet(ann)
        #expect(chat.records.count == 1)
        #expect(chat.state.person(ann) == User(id: ann, nickname: "ann", isActive: true))
        #expect(chat.state.person(bob) == nil)
    }

    @Test func `US1: an upsert creates a user or changes the given fields`() throws {
        var chat = Chat([])
        let ann1 = try chat.run(UpsertUser(id: ann, nickname: "Ann", metadata: ["team": "red"]), as: .server).user
        #expect(ann1 == User(id: ann, nickname: "Ann", metadata: ["team": "red"], isActive: true, online: false))
        let ann2 = try chat.run(UpsertUser(id: ann, profileURL: "https://a/b.png"), as: .server).user
        #expect(
            ann2
                == User(
                    id: ann, nickname: "Ann", profileURL: "https://a/b.png", metadata: ["team": "red"], isActive: true,
                    online: false))
        let ann3 = try chat.run(UpsertUser(id: ann, metadata: [:]), as: .server).user
        #expect(ann3.metadata == nil)
        try chat.run(UpsertUser(id: ann), as: .server)
        #expect(chat.lastRecords.isEmpty)
    }

    @Test(
        arguments: [
            (UpsertUser(id: ann, nickname: String(repeating: "n", count: 80)), nil),
            (UpsertUser(id: ann, nickname: String(repeating: "n", count: 81)), .tooLong),
            (UpsertUser(id: ann, nickname: "a\u{202E}nn"), .invalidValue),
            (UpsertUser(id: ann, nickname: "a\nnn"), .invalidValue),
            (UpsertUser(id: ann, profileURL: "/" + String(repeating: "u", count: 2_047)), nil),
            (UpsertUser(id: ann, profileURL: "http://a/b.png"), nil),
            (UpsertUser(id: ann, profileURL: "javascript:alert(1)"), .invalidValue),
            (UpsertUser(id: ann, profileURL: "https://a/\u{202E}gnp.b"), .invalidValue),
            (UpsertUser(id: ann, profileURL: String(repeating: "u", count: 2_049)), .tooLong),
            (UpsertUser(id: ann, metadata: keys(50)), nil),
            (UpsertUser(id: ann, metadata: keys(51)), .tooMany),
            (UpsertUser(id: ann, metadata: ["": "v"]), .invalidValue),
            (UpsertUser(id: ann, metadata: [String(repeating: "k", count: 128): "v"]), nil),
            (UpsertUser(id: ann, metadata: [String(repeating: "k", count: 129): "v"]), .tooLong),
            (UpsertUser(id: ann, metadata: ["k": String(repeating: "v", count: 1_024)]), nil),
            (UpsertUser(id: ann, metadata: ["k": String(repeating: "v", count: 1_025)]), .tooLong),
        ] as [(UpsertUser, ErrorCode?)])
    func `user fields beyond their limits are refused`(request: UpsertUser, refusal: ErrorCode?) {
        var chat = Chat([])
        #expect(chat.refusal(of: request, as: .server) == refusal)
        #expect(chat.state.knows(ann) == (refusal == nil))
    }

    @Test func `many users are created and changed in one command, and returned in the order of the request`() throws {
        var chat = Chat([ann])
        let request = UpsertUsers(users: [
            UpsertUser(id: cat, nickname: "Cat"), UpsertUser(id: ann, metadata: ["team": "red"]), UpsertUser(id: bob),
        ])
        let answer = try chat.run(request, as: .server).users
        #expect(answer.map(\.id) == [cat, ann, bob] && answer.map(\.nickname) == ["Cat", "ann", "bob"])
        #expect(answer[1].metadata == ["team": "red"])
        #expect(chat.lastRecords.count == 3)
        #expect(try chat.run(request, as: .server).users == answer)
        #expect(chat.lastRecords.count == 2, "who is only named does not change")
        #expect(chat.replayed.person(bob) == chat.state.person(bob))
    }

    @Test(arguments: [
        (
            UpsertUser(id: cat, nickname: String(repeating: "n", count: 81)),
            "too long: users[1]: nickname: at most 80 characters"
        ),
        (
            UpsertUser(id: cat, profileURL: "x"),
            "invalid value: users[1]: profile_url: must begin with https://, http:// or /"
        ),
        (UpsertUser(id: cat, metadata: keys(51)), "too many: users[1]: metadata: at most 50 keys"),
        (UpsertUser(id: bob), "invalid value: users[1]: given twice"),
    ])
    func `one invalid user fails the entire command, and the error gives its position`(wrong: UpsertUser, text: String)
    {
        var chat = Chat([])
        let users = [UpsertUser(id: bob), wrong, UpsertUser(id: ann)]
        do throws(Rejection) {
            try chat.run(UpsertUsers(users: users), as: .server)
            Issue.record("done")
        } catch {
            #expect(error.message == text)
        }
        #expect(chat.state.userCount == 0)
    }

    @Test(arguments: [(0, ErrorCode.invalidValue), (1, nil), (100, nil), (101, .tooMany)] as [(Int, ErrorCode?)])
    func `a command must have one to a hundred users`(count: Int, refusal: ErrorCode?) throws {
        var chat = Chat([])
        let users = try (0..<count).map { UpsertUser(id: try #require(UserID("u\($0)"))) }
        #expect(chat.refusal(of: UpsertUsers(users: users), as: .server) == refusal)
        #expect(chat.state.userCount == (refusal == nil ? count : 0))
    }

    @Test func `a user is returned by id, and the caller if no id is given`() throws {
        var chat = Chat([ann, bob])
        #expect(try chat.ask(GetUser(userID: bob), as: .user(ann)).user.id == bob)
        #expect(try chat.ask(GetUser(), as: .user(ann)).user.id == ann)
        #expect(chat.refusal(of: GetUser(userID: cat), as: .user(ann)) == .notFound)
        #expect(chat.refusal(of: GetUser(), as: .server) == .badRequest)
    }

    @Test func `US3: invitations are accepted automatically until the user opts out`() throws {
        var chat = Chat([ann, bob])
        #expect(try chat.run(UpdatePreferences(), as: .user(bob)).autoAcceptInvitations)
        #expect(try !chat.run(UpdatePreferences(autoAcceptInvitations: false), as: .user(bob)).autoAcceptInvitations)
        #expect(chat.lastRecords.count == 1)
        #expect(try !chat.run(UpdatePreferences(autoAcceptInvitations: false), as: .user(bob)).autoAcceptInvitations)
        #expect(chat.lastRecords.isEmpty, "nothing changed, nothing happened")
        #expect(chat.refusal(of: UpdatePreferences(), as: .server) == .badRequest)
    }
}

func keys(_ count: Int) -> [String: String] {
    Dictionary(uniqueKeysWithValues: (0..<count).map { ("k\($0)", "v") })
}
