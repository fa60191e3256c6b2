import ChatModel
import Testing

@testable import ChatDomain

/// Bob has blocked ann. They share the public channel `general` with cat, and the distinct channel `pair`.
private func begin() throws -> Chat {
    var chat = Chat()
    try chat.createGoverned(isPublic: true)
    try chat.run(CreateChannel(id: "pair", userIDs: [bob], isDistinct: true), as: .user(ann))
    chat.forgetWhatWasHeard()
    try chat.run(BlockUser(userID: ann), as: .user(bob))
    return chat
}

@Suite struct BlockTests {
    @Test func `MO1 MS3: a message is the same one when it is sent again, whoever was blocked in between`() throws {
        var chat = try begin()
        let send = SendMessage(channelID: general, text: "x", clientID: "c", mentionedUserIDs: [bob, cat])
        let first = try chat.run(send, as: .user(ann)).message
        #expect(first.mentionedUserIDs == [cat])
        try chat.run(UnblockUser(userID: ann), as: .user(bob))
        #expect(try chat.run(send, as: .user(ann)).message.id == first.id)
        let second = SendMessage(channelID: general, text: "y", clientID: "d", mentionedUserIDs: [bob])
        let sent = try chat.run(second, as: .user(ann)).message
        #expect(sent.mentionedUserIDs == [bob])
        try chat.run(BlockUser(userID: ann), as: .user(bob))
        #expect(try chat.run(second, as: .user(ann)).message.id == sent.id)
        let other = SendMessage(channelID: general, text: "x", clientID: "c", mentionedUserIDs: [cat])
        #expect(chat.refusal(of: other, as: .user(ann)) == .clientIDConflict)
    }

    @Test func `MO1: a block is told to the blocker's devices only, and listed until it ends`() throws {
        var chat = try begin()
        #expect(chat.heard(by: bob, in: .inbox(bob)) == [.blockChanged])
        #expect(
            chat.heard(by: bob).last?.event.block == BlockChange(user: chat.state.signature(of: ann), isBlocked: true))
        #expect(chat.heard(by: ann).isEmpty && chat.heard(by: cat).isEmpty)
        let listed = try chat.ask(ListBlocked(), as: .user(bob)).blocked
        #expect(listed == [BlockedUser(user: chat.state.signature(of: ann), at: chat.now)])
        #expect(try chat.ask(ListBlocked(), as: .user(ann)).blocked.isEmpty)
        try chat.run(BlockUser(userID: ann), as: .user(bob))
        #expect(chat.lastRecords.isEmpty)
        #expect(try !chat.run(UnblockUser(userID: ann), as: .user(bob)).block.isBlocked)
        #expect(try chat.ask(ListBlocked(), as: .user(bob)).blocked.isEmpty)
        try chat.run(UnblockUser(userID: ann), as: .user(bob))
        #expect(chat.lastRecords.isEmpty)
    }

    @Test func `MO1: users cannot block themselves or unknown users, and block lists are bounded`() throws {
        var chat = try begin()
        #expect(chat.refusal(of: BlockUser(userID: bob), as: .user(bob)) == .invalidValue)
        #expect(chat.refusal(of: BlockUser(userID: "nobody"), as: .user(bob)) == .notFound)
        #expect(chat.refusal(of: UnblockUser(userID: "nobody"), as: .user(bob)) == .notFound)
        #expect(chat.refusal(of: BlockUser(userID: bob), as: .server) == .badRequest)
        for index in 1..<FieldLimits.blockedUsers {
            chat.state.blockLists.block(UserID(stringLiteral: "u\(index)"), by: bob, at: 1)
        }
        #expect(chat.refusal(of: BlockUser(userID: cat), as: .user(bob)) == .tooMany)
        #expect(chat.refusal(of: UnblockUser(userID: ann), as: .user(bob)) == nil)
        #expect(chat.refusal(of: BlockUser(userID: cat), as: .user(bob)) == nil)
    }

    @Test func `MO1: the blocked cannot bring the blocker anywhere, but the blocker can bring them`() throws {
        var chat = try begin()
        try chat.run(CreateChannel(id: "new", operatorUserIDs: [ann]), as: .user(ann))
        let answer = try chat.run(InviteToChannel(channelID: "new", userIDs: [bob, cat]), as: .user(ann))
        #expect(answer.joined == [cat] && answer.refused.map(\.userID) == [bob])
        #expect(answer.refused.map(\.code) == [1052])
        #expect(chat.refusal(of: CreateChannel(id: "a", userIDs: [bob]), as: .user(ann)) == .blocked)
        #expect(chat.refusal(of: CreateChannel(id: "a", operatorUserIDs: [bob]), as: .user(ann)) == .blocked)
        #expect(chat.refusal(of: CreateChannel(id: "a", userIDs: [ann]), as: .user(bob)) == nil)
        let byApp = try chat.run(AddMembers(channelID: "new", userIDs: [bob]), as: .server)
        #expect(byApp.joined == [bob])
    }

    @Test func `MO1: a blocked user cannot act visibly in the distinct channel of two`() throws {
        var chat = try begin()
        let message = try chat.run(SendMessage(channelID: "pair", text: "hi"), as: .user(bob)).message
        #expect(chat.refusal(of: SendMessage(channelID: "pair", text: "hi"), as: .user(ann)) == .blocked)
        #expect(chat.refusal(of: StartTyping(channelID: "pair"), as: .user(ann)) == .blocked)
        let reaction = AddReaction(channelID: "pair", messageID: message.id, key: "sob")
        #expect(chat.refusal(of: reaction, as: .user(ann)) == .blocked)
        let reply = SendMessage(channelID: "pair", text: "hi", parentMessageID: message.id)
        #expect(chat.refusal(of: reply, as: .user(ann)) == .blocked)
        #expect(chat.refusal(of: InviteToChannel(channelID: "pair", userIDs: [cat]), as: .user(ann)) == .blocked)
        try chat.run(AddOperators(channelID: "pair", userIDs: [ann]), as: .server)
        #expect(chat.refusal(of: UpdateChannel(channelID: "pair", name: "x"), as: .user(ann)) == .blocked)
        #expect(chat.refusal(of: UpdateChannel(channelID: "pair", isDistinct: false), as: .user(ann)) == .blocked)
        #expect(chat.refusal(of: DeleteChannel(channelID: "pair"), as: .user(ann)) == .blocked)
        // What the blocker does not see stays possible, and so does taking back and going.
        #expect(chat.refusal(of: MarkRead(channelID: "pair"), as: .user(ann)) == nil)
        #expect(chat.refusal(of: ListMessages(channelID: "pair", limit: 1), as: .user(ann)) == nil)
        #expect(chat.refusal(of: SendMessage(channelID: "pair", text: "app", kind: .admin), as: .server) == nil)
        #expect(chat.refusal(of: LeaveChannel(channelID: "pair"), as: .user(ann)) == nil)
        let again = CreateChannel(id: "again", userIDs: [bob], isDistinct: true)
        #expect(chat.refusal(of: again, as: .user(ann)) == .blocked)
    }

    @Test func `MO1: elsewhere the blocked still write, and query answers mark it for the blocker alone`() throws {
        var chat = try begin()
        let message = try chat.say("hello", by: ann)
        let heard = try #require(chat.heard(by: bob).last)
        #expect(heard.event.message?.id == message.id && heard.event.message?.fromBlocked == nil)
        func marks(_ user: UserID) throws -> [Bool?] {
            let get = try chat.ask(GetMessage(channelID: general, messageID: message.id), as: .user(user)).message
            let list = try chat.ask(ListMessages(channelID: general, limit: 1), as: .user(user)).messages
            let last = try chat.ask(GetChannel(channelID: general), as: .user(user)).channel.lastMessage
            return [get.fromBlocked, list.first?.fromBlocked, last?.fromBlocked]
        }
        #expect(try marks(bob) == [true, true, true])
        #expect(try marks(cat) == [nil, nil, nil] && marks(ann) == [nil, nil, nil])
        try chat.run(UnblockUser(userID: ann), as: .user(bob))
        #expect(try marks(bob) == [nil, nil, nil])
    }

    @Test func `MO1: the blocked cannot mention the blocker, not even by an edit`() throws {
        var chat = try begin()
        let sent = try chat.run(
            SendMessage(channelID: general, text: "you two", mentionedUserIDs: [bob, cat]), as: .user(ann)
        ).message
        #expect(sent.mentionedUserIDs == [cat])
        let plain = try chat.say("plain", by: ann)
        let edit = UpdateMessage(
            channelID: general, messageID: plain.id, mentionType: .users, mentionedUserIDs: [bob])
        #expect(try chat.run(edit, as: .user(ann)).message.mentionedUserIDs == nil)
        let my = try chat.ask(GetChannel(channelID: general), as: .user(bob)).channel.my
        #expect(my?.unreadMentionCount == 0 && my?.unreadCount == 2)
        let byCat = SendMessage(channelID: general, text: "bob", mentionedUserIDs: [bob])
        #expect(try chat.run(byCat, as: .user(cat)).message.mentionedUserIDs == [bob])
    }

    @Test func `MO1 L2: the blocked cannot push the blocker`() throws {
        var chat = try begin()
        for user in [bob, cat] {
            try chat.run(RegisterDevice(provider: .fcm, token: "of \(user)"), as: .user(user))
        }
        let secret = String(repeating: "s", count: 32)
        try chat.run(
            SetWebhook(id: "w", url: "https://example.com", events: .types(["push"]), secret: secret), as: .server)
        func pushed(by user: UserID) throws -> [UserID] {
            try chat.say("x", by: user)
            return chat.lastSearches.flatMap { $0.notices(in: chat.state) }.flatMap(\.recipients).map(\.user)
        }
        #expect(try pushed(by: ann) == [cat])
        #expect(try pushed(by: cat) == [bob])
    }

    @Test func `MO1: the blocked see neither the presence nor the typing of the blocker`() throws {
        var chat = try begin()
        chat.forgetWhatWasHeard()
        chat.connect(bob)
        func online(_ viewer: UserID) throws -> [Bool?] {
            let user = try chat.ask(GetUser(userID: bob), as: .user(viewer)).user
            let listed = try chat.ask(ListUsers(userIDs: [bob]), as: .user(viewer)).users
            let members = try chat.ask(ListMembers(channelID: general), as: .user(viewer)).members
            return [user.online, listed.first?.online, members.first { $0.user.id == bob }?.online]
        }
        #expect(try online(cat) == [true, true, true])
        #expect(try online(ann) == [false, false, false])
        try chat.signal(StartTyping(channelID: general), as: .user(bob))
        try chat.signal(StopTyping(channelID: general), as: .user(bob))
        chat.disconnect(bob)
        #expect(chat.heard(by: ann).isEmpty)
        #expect(chat.heard(by: cat).map(\.event.type) == [.presenceChanged, .typingStarted, .typingStopped])
        #expect(try chat.ask(GetUser(userID: bob), as: .user(ann)).user.lastSeenAt == nil)
        try chat.signal(StartTyping(channelID: general), as: .user(ann))
        #expect(chat.heard(by: bob).last?.event.type == .typingStarted, "a block has one direction")
    }

    @Test func `MO1 PR1: a deleted user is removed from all block lists; the others survive a restart`() throws {
        var chat = try begin()
        try chat.run(BlockUser(userID: cat), as: .user(bob))
        try chat.run(BlockUser(userID: bob), as: .user(cat))
        try chat.erase(cat)
        let loaded = ChatState()
        try chat.state.parts { try loaded.load($0) }
        for state in [chat.state, chat.replayed, loaded] {
            #expect(Array(state.blockLists.list(of: bob).keys) == [ann])
            #expect(state.blockLists.list(of: cat).isEmpty)
            #expect(
                state.blockLists.isBlocked(ann) && !state.blockLists.isBlocked(cat) && !state.blockLists.isBlocked(bob))
        }
    }

    @Test func `MO1 PR2: an export contains the user's blocks, not who blocks them`() throws {
        var chat = try begin()
        try chat.run(BanUser(userID: bob, seconds: 60, description: "spam"), as: .server)
        func lines(_ user: UserID) -> [ExportLine] {
            var lines: [ExportLine] = []
            chat.state.export(.user(user)) { lines.append($0) }
            return lines.filter { ["block", "ban"].contains($0.type) }
        }
        #expect(lines(bob).map(\.type) == ["ban", "block"])
        #expect(lines(bob).map(\.userID) == [bob, bob] && lines(bob).last?.blockedUserID == ann)
        #expect(lines(ann).isEmpty)
        var all: [String] = []
        chat.state.export(.everything) { all.append($0.type) }
        #expect(all.count { $0 == "block" } == 1 && all.count { $0 == "ban" } == 1)
    }
}
