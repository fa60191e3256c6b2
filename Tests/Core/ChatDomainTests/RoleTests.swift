import ChatModel
import Testing

@testable import ChatDomain

private func begin() throws -> Chat {
    var chat = Chat()
    try chat.createGoverned(isPublic: true)
    return chat
}

extension Chat {
    @discardableResult
    fileprivate mutating func grant(
        _ role: ChannelRole, _ permissions: [Permission]?, in customType: String? = nil
    ) throws -> [RoleDefinition] {
        try run(SetRole(customType: customType, role: role, permissions: permissions), as: .server).roles
    }

    fileprivate mutating func permissions(of user: UserID) throws -> [Permission]? {
        try ask(GetChannel(channelID: general), as: .user(user)).channel.my?.permissions
    }
}

@Suite struct RoleTests {
    @Test func `RO1: without a table, roles have the default permissions, and members see theirs`() throws {
        var chat = try begin()
        #expect(try chat.permissions(of: ann) == Permission.allCases)
        #expect(
            try chat.permissions(of: bob) == [
                .send, .reply, .react, .upload, .mentionChannel, .editOwn, .deleteOwn, .editThread, .invite,
                .createChannels,
            ])
        #expect(try chat.permissions(of: dan) == nil)
        #expect(try chat.ask(ListRoles(), as: .server).roles.count == ChannelRole.allCases.count)
    }

    @Test func `RO1: every command that needs a permission taken away is refused with its name`() throws {
        var chat = try begin()
        let own = try chat.say("own", by: bob)
        let other = try chat.say("other", by: cat)
        try chat.grant(.member, [])
        func refusal(_ change: some Change) -> Rejection? {
            do throws(Rejection) { _ = try chat.run(change, as: .user(bob)) } catch { return error }
            return nil
        }
        func expect(_ permission: Permission, _ change: some Change) {
            #expect(refusal(change) == Rejection(.notPermitted, permission.rawValue), "\(permission)")
        }
        expect(.send, SendMessage(channelID: general, text: "x"))
        expect(.reply, SendMessage(channelID: general, text: "x", parentMessageID: other.id))
        expect(.react, AddReaction(channelID: general, messageID: other.id, key: "sob"))
        expect(.react, RemoveReaction(channelID: general, messageID: other.id, key: "sob"))
        expect(.editOwn, UpdateMessage(channelID: general, messageID: own.id, text: "x"))
        expect(.deleteOwn, DeleteMessage(channelID: general, messageID: own.id))
        expect(.editThread, UpdateThread(channelID: general, parentMessageID: own.id, title: "x"))
        expect(.invite, InviteToChannel(channelID: general, userIDs: [dan]))
        expect(.createChannels, CreateChannel(id: "new"))
        #expect(chat.refusal(of: StartTyping(channelID: general), as: .user(bob)) == .notPermitted)
        // What members never could has its usual codes.
        #expect(refusal(FreezeChannel(channelID: general))?.code == .notAnOperator)
        #expect(refusal(DeleteMessage(channelID: general, messageID: other.id))?.code == .notTheAuthor)
        try chat.grant(.member, [.send])
        #expect(refusal(SendMessage(channelID: general, text: "x")) == nil)
        expect(.mentionChannel, SendMessage(channelID: general, text: "x", mentionType: .channel))
    }

    @Test func `RO1: what a table grants is allowed to members, but not to those who are muted`() throws {
        var chat = try begin()
        let other = try chat.say("other", by: cat)
        try chat.grant(.member, Permission.allCases)
        #expect(chat.refusal(of: FreezeChannel(channelID: general), as: .user(bob)) == nil)
        #expect(chat.refusal(of: UnfreezeChannel(channelID: general), as: .user(ann)) == nil)
        #expect(chat.refusal(of: UpdateChannel(channelID: general, name: "x"), as: .user(bob)) == nil)
        #expect(chat.refusal(of: SetChannelMetadata(channelID: general, metadata: ["a": "b"]), as: .user(bob)) == nil)
        let edit = UpdateMessage(channelID: general, messageID: other.id, text: "x")
        #expect(chat.refusal(of: edit, as: .user(bob)) == nil)
        #expect(chat.refusal(of: DeleteMessage(channelID: general, messageID: other.id), as: .user(bob)) == nil)
        #expect(chat.refusal(of: DeleteChannel(channelID: general), as: .user(bob)) == .notAnOperator)
        #expect(chat.refusal(of: AddOperators(channelID: general, userIDs: [bob]), as: .user(bob)) == .notAnOperator)
        try chat.run(MuteMember(channelID: general, userID: bob), as: .server)
        #expect(chat.refusal(of: UpdateChannel(channelID: general, name: "y"), as: .user(bob)) == .muted)
    }

    @Test func `RO1: nobody acts on someone with an equal or higher role`() throws {
        var chat = try begin()
        try chat.grant(.member, Permission.allCases)
        try chat.run(JoinChannel(channelID: general), as: .user(dan))
        try chat.run(AddOperators(channelID: general, userIDs: [dan]), as: .server)
        for (actor, target) in [(ann, dan), (bob, cat), (bob, ann)] as [(UserID, UserID)] {
            let changes: [any Change] = [
                MuteMember(channelID: general, userID: target), BanMember(channelID: general, userID: target),
                RemoveMember(channelID: general, userID: target), UnmuteMember(channelID: general, userID: target),
                UnbanMember(channelID: general, userID: target),
            ]
            for change in changes {
                #expect(chat.refusal(of: change, as: .user(actor)) == .notPermitted, "\(actor) \(target)")
            }
        }
        #expect(chat.refusal(of: MuteMember(channelID: general, userID: bob), as: .user(ann)) == nil)
        #expect(chat.refusal(of: RemoveMember(channelID: general, userID: dan), as: .server) == nil)
    }

    @Test func `RO1: an operator whom the server muted or banned cannot be released by any operator`() throws {
        var chat = try begin()
        try chat.run(AddOperators(channelID: general, userIDs: [bob]), as: .server)
        try chat.run(MuteMember(channelID: general, userID: ann), as: .server)
        #expect(chat.refusal(of: UnmuteMember(channelID: general, userID: ann), as: .user(ann)) == .muted)
        #expect(chat.refusal(of: UnmuteMember(channelID: general, userID: ann), as: .user(bob)) == .notPermitted)
        #expect(chat.refusal(of: SendMessage(channelID: general, text: "x"), as: .user(ann)) == .muted)
        try chat.run(UpsertUser(id: ann, isAppAdmin: true), as: .server)
        try chat.run(BanMember(channelID: general, userID: ann), as: .server)
        #expect(chat.refusal(of: UnbanMember(channelID: general, userID: ann), as: .user(bob)) == .notPermitted)
        #expect(chat.refusal(of: UnbanMember(channelID: general, userID: ann), as: .server) == nil)
    }

    @Test func `RO1: an app admin has the rights of operators in every channel they are in, and stands above them`()
        throws
    {
        var chat = try begin()
        #expect(try chat.run(UpsertUser(id: bob, isAppAdmin: true), as: .server).user.isAppAdmin == true)
        #expect(chat.refusal(of: MuteMember(channelID: general, userID: ann), as: .user(bob)) == nil)
        #expect(chat.refusal(of: UnmuteMember(channelID: general, userID: ann), as: .user(bob)) == nil)
        #expect(chat.refusal(of: MuteMember(channelID: general, userID: bob), as: .user(ann)) == .notPermitted)
        try chat.run(FreezeChannel(channelID: general), as: .user(bob))
        #expect(chat.refusal(of: SendMessage(channelID: general, text: "x"), as: .user(bob)) == nil)
        #expect(chat.refusal(of: ListBanned(channelID: general), as: .user(bob)) == nil)
        let loaded = ChatState()
        try chat.state.parts { try loaded.load($0) }
        for state in [loaded, chat.replayed] { #expect(state.users[bob]?.isAppAdmin == true) }
        try chat.run(UpsertUser(id: bob, isAppAdmin: false), as: .server)
        #expect(chat.refusal(of: SendMessage(channelID: general, text: "x"), as: .user(bob)) == .channelFrozen)
        #expect(chat.refusal(of: FreezeChannel(channelID: "nowhere"), as: .user(bob)) == .notFound)
    }

    @Test func `RO1: a table belongs to a custom type, and the general one to all others`() throws {
        var chat = try begin()
        try chat.grant(.member, [.react])
        try chat.grant(.member, [.send], in: "team")
        #expect(try chat.permissions(of: bob) == [.react])
        try chat.run(UpdateChannel(channelID: general, customType: "team"), as: .server)
        #expect(try chat.permissions(of: bob) == [.send])
        try chat.run(UpdateChannel(channelID: general, customType: "other"), as: .server)
        #expect(try chat.permissions(of: bob) == [.react])
        let loaded = ChatState()
        try chat.state.parts { try loaded.load($0) }
        for state in [loaded, chat.replayed] { #expect(state.roles.definitions == chat.state.roles.definitions) }
        try chat.grant(.member, nil)
        #expect(try chat.permissions(of: bob)?.contains(.invite) == true)
    }

    @Test func `RO1: a preset sets every role, and a server key is never locked out`() throws {
        var chat = try begin()
        try chat.run(SetRole(preset: .livestream), as: .server)
        #expect(chat.refusal(of: InviteToChannel(channelID: general, userIDs: [dan]), as: .user(bob)) == .notPermitted)
        #expect(chat.refusal(of: SendMessage(channelID: general, text: "x"), as: .user(bob)) == nil)
        for role in ChannelRole.allCases { try chat.grant(role, []) }
        #expect(chat.refusal(of: SendMessage(channelID: general, text: "x"), as: .user(ann)) == .notPermitted)
        #expect(chat.refusal(of: UpdateChannel(channelID: general, name: "x"), as: .user(ann)) == .notPermitted)
        #expect(chat.refusal(of: UpdateChannel(channelID: general, name: "x"), as: .server) == nil)
        try chat.run(SetRole(preset: .messaging), as: .server)
        #expect(try chat.permissions(of: ann) == Permission.allCases)
        try chat.run(SetRole(preset: .messaging), as: .server)
        #expect(chat.lastRecords.isEmpty)
    }

    @Test func `RO1: a command without a role, with both, or for too many types is refused`() throws {
        var chat = try begin()
        #expect(chat.refusal(of: SetRole(), as: .server) == .badRequest)
        #expect(chat.refusal(of: SetRole(role: .member, preset: .team), as: .server) == .badRequest)
        #expect(chat.refusal(of: SetRole(permissions: [.send], preset: .team), as: .server) == .invalidValue)
        #expect(chat.refusal(of: SetRole(customType: "", role: .member), as: .server) == .invalidValue)
        let long = String(repeating: "x", count: 129)
        #expect(chat.refusal(of: SetRole(customType: long, role: .member), as: .server) == .tooLong)
        for index in 0..<FieldLimits.roleTypes { try chat.grant(.member, [.send], in: "t\(index)") }
        let another = SetRole(customType: "another", role: .member, permissions: [])
        #expect(chat.refusal(of: another, as: .server) == .tooMany)
        #expect(chat.refusal(of: SetRole(customType: "t1", role: .guest, permissions: []), as: .server) == nil)
    }

    @Test func `RO1 MO3: a channel's type changes only to one that the user could create, and its name is checked`()
        throws
    {
        var chat = try begin()
        try chat.grant(.member, [.send], in: "vip")
        let change = UpdateChannel(channelID: general, customType: "vip")
        #expect(throws: Rejection(.notPermitted, "create_channels")) { try chat.run(change, as: .user(ann)) }
        try chat.grant(.member, nil, in: "vip")
        let rule = TextRuleDefinition(id: "r", words: ["general"], action: .refuse, customTypes: ["vip"])
        try chat.run(UpdateChannel(channelID: general, name: "General"), as: .user(ann))
        try chat.run(SetTextRules(rules: [rule]), as: .server)
        #expect(throws: Rejection(.textRefused, "rule r")) { try chat.run(change, as: .user(ann)) }
        #expect(chat.refusal(of: change, as: .server) == nil)
    }

    @Test func `RO1 MS1: without upload, neither an upload nor a message with one is accepted`() throws {
        var chat = try begin()
        let upload = RegisterFile(
            id: FileID(high: 1, low: 1), channelID: general, name: "a", size: 1, mimeType: "a/b")
        try chat.run(upload, as: .user(bob))
        try chat.grant(.member, [.send])
        #expect(chat.refusal(of: PrepareUpload(channelID: general), as: .user(bob)) == .notPermitted)
        let another = RegisterFile(
            id: FileID(high: 1, low: 2), channelID: general, name: "a", size: 1, mimeType: "a/b")
        #expect(chat.refusal(of: another, as: .user(bob)) == .notPermitted)
        var file = SendMessage(channelID: general, kind: .file)
        file.files = [FileReference(id: upload.id)]
        #expect(chat.refusal(of: file, as: .user(bob)) == .notPermitted)
        file.files = [FileReference(url: "https://a.example/b")]
        #expect(chat.refusal(of: file, as: .user(bob)) == nil)
    }
}
