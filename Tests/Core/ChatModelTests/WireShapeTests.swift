import ChatModel
import Foundation
import Testing

/// Every wire shape as one line of JSON, to which values encode and which round-trips.
@Suite struct WireShapeTests {
    private func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private func check(_ value: some Codable, _ expected: String, _ location: SourceLocation = #_sourceLocation) throws
    {
        #expect(try json(value) == expected, sourceLocation: location)
        let decoded = try JSONDecoder().decode(type(of: value), from: Data(expected.utf8))
        #expect(try json(decoded) == expected, sourceLocation: location)
    }

    private func check<Value: Codable & Hashable>(
        _ value: Value, _ expected: String, _ location: SourceLocation = #_sourceLocation
    ) throws {
        #expect(try json(value) == expected, sourceLocation: location)
        let decoded = try JSONDecoder().decode(Value.self, from: Data(expected.utf8))
        #expect(decoded == value, sourceLocation: location)
    }

    private let general: ChannelID
    private let ann: UserID
    private let bob: UserID
    private let first = MessageID(high: 0x017F_22E2_79B0_7CC3, low: 0x98C4_DC0C_0C07_398F)
    private let second = MessageID(high: 0x017F_22E2_79B1_7000, low: 0x8000_0000_0000_0001)
    private let firstText = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"
    private let secondText = "017f22e2-79b1-7000-8000-000000000001"

    init() throws {
        general = try #require(ChannelID("general"))
        ann = try #require(UserID("ann"))
        bob = try #require(UserID("bob"))
    }

    // MARK: Things

    private var user: User {
        User(id: ann, nickname: "Ann", profileURL: "https://example.org/a", metadata: ["city": "Bonn"])
    }
    private let userJSON =
        #"{"id":"ann","metadata":{"city":"Bonn"},"nickname":"Ann","profile_url":"https://example.org/a"}"#

    private var message: Message {
        Message(
            id: second, channelID: general, kind: .text, text: "hi", user: User(id: bob, nickname: ""),
            createdAt: 1_780_000_000_001, clientID: "c1", parentMessageID: first, replyToChannel: false, offset: 42,
            parent: MessageParent(
                id: first, state: .ok, kind: .text, text: "hello", user: User(id: ann, nickname: "Ann"),
                createdAt: 1_780_000_000_000),
            thread: thread, customType: "note", data: "{}")
    }
    private var messageJSON: String {
        #"{"channel_id":"general","client_id":"c1","created_at":1780000000001,"custom_type":"note","data":"{}","#
            + #""id":"\#(secondText)","kind":"text","offset":42,"#
            + #""parent":{"created_at":1780000000000,"id":"\#(firstText)","kind":"text","state":"ok","text":"hello","#
            + #""user":{"id":"ann","nickname":"Ann"}},"parent_message_id":"\#(firstText)","reply_to_channel":false,"#
            + #""text":"hi","thread":\#(threadJSON),"user":{"id":"bob","nickname":""}}"#
    }

    private var thread: MessageThread {
        MessageThread(
            channelID: general, parentMessageID: first, replyCount: 2,
            mostRepliedUsers: [User(id: ann, nickname: "Ann")], lastReplyAt: 1_780_000_000_001)
    }
    private var threadJSON: String {
        #"{"channel_id":"general","last_reply_at":1780000000001,"most_replied_users":[{"id":"ann","nickname":"Ann"}],"#
            + #""parent_message_id":"\#(firstText)","reply_count":2}"#
    }

    private var bare: Channel {
        Channel(
            id: general, name: "", isPublic: false, isDistinct: true, isSuper: false, customType: nil, data: nil,
            coverURL: nil, metadata: nil, createdAt: 0, createdBy: nil, memberCount: 2, joinedMemberCount: 1)
    }
    private let bareJSON =
        #"{"created_at":0,"id":"general","is_distinct":true,"is_ephemeral":false,"is_frozen":false,"is_public":false,"is_super":false,"#
        + #""joined_member_count":1,"member_count":2,"name":""}"#

    @Test func `a user matches its wire shape`() throws {
        try check(user, userJSON)
        try check(User(id: ann, nickname: ""), #"{"id":"ann","nickname":""}"#)
    }

    @Test func `a message matches its wire format, with all optional fields and with none`() throws {
        try check(message, messageJSON)
        try check(
            Message(id: first, channelID: general, kind: .admin, text: nil, user: nil, createdAt: 0, offset: .max),
            #"{"channel_id":"general","created_at":0,"id":"\#(firstText)","kind":"admin","offset":18446744073709551615}"#
        )
        #expect(MessageKind.allCases.map(\.rawValue) == ["text", "file", "files", "admin"])
    }

    @Test(
        arguments: [(.ok, "ok"), (.unavailable, "unavailable"), (.notFound, "not_found")]
            as [(MessageParent.State, String)])
    func `T3: the wire shape of a quoted parent includes its state`(state: MessageParent.State, text: String) throws {
        try check(MessageParent(id: first, state: state), #"{"id":"\#(firstText)","state":"\#(text)"}"#)
    }

    @Test func `T4: a thread matches its wire shape, even if its parent is hidden`() throws {
        try check(thread, threadJSON)
        try check(
            MessageThread(channelID: general, parentMessageID: first),
            #"{"channel_id":"general","parent_message_id":"\#(firstText)"}"#)
    }

    @Test func `CH1: a channel matches its wire shape, with all fields and with none`() throws {
        var channel = bare
        channel.name = "General"
        channel.isFrozen = true
        channel.customType = "team"
        channel.data = "x"
        channel.coverURL = "https://example.org/c"
        channel.metadata = ["a": "1"]
        channel.createdBy = ann
        channel.lastMessage = message
        channel.my = MyMembership(state: .joined, role: .operator, joinedAt: 1)
        try check(
            channel,
            #"{"cover_url":"https://example.org/c","created_at":0,"created_by":"ann","custom_type":"team","data":"x","#
                + #""id":"general","is_distinct":true,"is_ephemeral":false,"is_frozen":true,"is_public":false,"is_super":false,"#
                + #""joined_member_count":1,"#
                + #""last_message":\#(messageJSON),"member_count":2,"metadata":{"a":"1"},"#
                + #""my":{"joined_at":1,"role":"operator","state":"joined"},"name":"General"}"#)
        try check(bare, bareJSON)
    }

    @Test(arguments: [(.joined, "joined"), (.invited, "invited"), (.none, "none")] as [(MembershipState, String)])
    func `the user's membership matches its wire shape in every state`(state: MembershipState, text: String) throws {
        try check(MyMembership(state: state), #"{"state":"\#(text)"}"#)
    }

    @Test func `a member and an invitation match their wire shape`() throws {
        try check(
            Member(user: user, role: .member, state: .joined, joinedAt: 5, invitedBy: bob),
            #"{"invited_by":"bob","joined_at":5,"role":"member","state":"joined","user":\#(userJSON)}"#)
        try check(
            Invitation(channel: bare, inviter: user, invitee: User(id: bob, nickname: "Bob"), at: 7),
            #"{"at":7,"channel":\#(bareJSON),"invitee":{"id":"bob","nickname":"Bob"},"inviter":\#(userJSON)}"#)
    }

    @Test func `each kind of event payload has its own field name`() throws {
        try check(
            TypedEvent(type: .threadReply, at: 9, by: bob, message: message, thread: thread),
            #"{"at":9,"by":"bob","message":\#(messageJSON),"thread":\#(threadJSON),"type":"thread.reply"}"#)
        try check(
            TypedEvent(
                type: .memberJoined, at: 9, by: nil, channelID: general,
                member: Member(user: user, role: .operator, state: .invited)),
            #"{"at":9,"channel_id":"general","member":{"role":"operator","state":"invited","user":\#(userJSON)},"#
                + #""type":"member.joined"}"#)
        try check(
            TypedEvent(
                type: .presenceChanged, at: 9, by: bob,
                presence: Presence(userID: bob, online: false, lastSeenAt: 8)),
            #"{"at":9,"by":"bob","presence":{"last_seen_at":8,"online":false,"user_id":"bob"},"#
                + #""type":"presence.changed"}"#)
        try check(
            TypedEvent(
                type: .invitationReceived, at: 9, by: ann, channel: bare,
                invitation: Invitation(channel: bare, inviter: nil, invitee: user, at: 8)),
            #"{"at":9,"by":"ann","channel":\#(bareJSON),"invitation":{"at":8,"channel":\#(bareJSON),"#
                + #""invitee":\#(userJSON)},"type":"invitation.received"}"#)
    }

    @Test func `the event types match the protocol's catalogue`() {
        let catalogue: Set = [
            "message.new", "message.updated", "message.deleted", "thread.reply", "thread.updated", "reaction.updated",
            "read.changed", "unread.changed", "invitation.received", "invitation.accepted", "invitation.declined",
            "invitation.cancelled", "channel.created", "channel.updated", "channel.deleted", "channel.frozen",
            "channel.unfrozen", "channel.hidden", "channel.unhidden", "channel.history_reset", "member.joined",
            "member.left", "member.banned", "member.unbanned", "member.muted", "member.unmuted", "operator.added",
            "operator.removed", "user.updated", "user.banned", "user.unbanned", "user.muted", "user.unmuted",
            "block.changed", "report.created", "report.resolved", "presence.changed", "typing.started",
            "typing.stopped",
        ]
        #expect(catalogue.isSuperset(of: EventType.allCases.map(\.rawValue)))
    }

    // MARK: Requests and responses

    @Test func `channel requests match their wire shape`() throws {
        try check(CreateChannel(), "{}")
        try check(
            CreateChannel(
                id: general, name: "General", userIDs: [ann], operatorUserIDs: [bob], isPublic: true, isDistinct: false,
                isSuper: true, coverURL: "u", data: "d", customType: "team", metadata: ["a": "1"]),
            #"{"cover_url":"u","custom_type":"team","data":"d","id":"general","is_distinct":false,"is_public":true,"#
                + #""is_super":true,"metadata":{"a":"1"},"name":"General","operator_user_ids":["bob"],"user_ids":["ann"]}"#
        )
        try check(
            CreateChannel.Response(channel: bare, created: true), #"{"channel":\#(bareJSON),"created":true}"#)
        let named: [any ChannelRequest] = [
            GetChannel(channelID: general), JoinChannel(channelID: general), LeaveChannel(channelID: general),
            AcceptInvitation(channelID: general), DeclineInvitation(channelID: general),
            FreezeChannel(channelID: general), UnfreezeChannel(channelID: general),
            RemoveAllOperators(channelID: general),
        ]
        for request in named { try check(request, #"{"channel_id":"general"}"#) }
        try check(ChannelResponse(channel: bare), #"{"channel":\#(bareJSON)}"#)
        try check(
            InviteToChannel(channelID: general, userIDs: [ann, bob]),
            #"{"channel_id":"general","user_ids":["ann","bob"]}"#)
        try check(
            InviteToChannel.Response(
                channel: bare, joined: [ann], invited: [bob],
                refused: [.init(userID: ann, code: 1003, message: "banned")]),
            #"{"channel":\#(bareJSON),"invited":["bob"],"joined":["ann"],"#
                + #""refused":[{"code":1003,"message":"banned","user_id":"ann"}]}"#)
    }

    @Test func `message requests match their wire shape`() throws {
        try check(SendMessage(channelID: general, text: "hi"), #"{"channel_id":"general","text":"hi"}"#)
        try check(
            SendMessage(
                channelID: general, text: "hi", clientID: "c1", kind: .text, parentMessageID: first,
                replyToChannel: false,
                customType: "note", data: "{}"),
            #"{"channel_id":"general","client_id":"c1","custom_type":"note","data":"{}","kind":"text","#
                + #""parent_message_id":"\#(firstText)","reply_to_channel":false,"text":"hi"}"#)
        try check(MessageResponse(message: message), #"{"message":\#(messageJSON)}"#)
        try check(
            GetMessage(channelID: general, messageID: first),
            #"{"channel_id":"general","message_id":"\#(firstText)"}"#)
        try check(
            ListMessages(
                channelID: general, at: 1, messageID: first, previous: 2, next: 3, limit: 4, inclusive: true,
                reverse: false, kind: .admin, customType: "note", userIDs: [ann], replies: .onlyReplyToChannel,
                includeThread: true, includeParent: false, includeDeleted: true),
            #"{"at":1,"channel_id":"general","custom_type":"note","include_deleted":true,"include_parent":false,"include_thread":true,"#
                + #""inclusive":true,"kind":"admin","limit":4,"message_id":"\#(firstText)","next":3,"previous":2,"#
                + #""replies":"only_reply_to_channel","reverse":false,"user_ids":["ann"]}"#)
        try check(
            ListMessages.Response(messages: [message], hasPrevious: true, hasNext: false, next: "t"),
            #"{"has_next":false,"has_previous":true,"messages":[\#(messageJSON)],"next":"t"}"#)
        try check(
            ListMessages.Response(messages: [], hasPrevious: false, hasNext: false),
            #"{"has_next":false,"has_previous":false,"messages":[]}"#)
    }

    @Test(
        arguments: [("3", .size(3)), ("0", .size(0)), (#""t""#, .token("t")), (#""3""#, .token("3"))]
            as [(String, SizeOrToken)])
    func `the value of next can be a size or a token`(text: String, next: SizeOrToken) throws {
        try check([next], "[\(text)]")
    }

    @Test(arguments: ["1.5", "true", "{}", "[]", "1e400", "9223372036854775808", "null"])
    func `any other value of next is refused`(text: String) {
        #expect(throws: (any Error).self) { try JSONDecoder().decode([SizeOrToken].self, from: Data("[\(text)]".utf8)) }
    }

    @Test func `thread requests match their wire shape`() throws {
        try check(
            ListReplies(
                channelID: general, parentMessageID: first, at: 1, messageID: second, previous: 2, next: 3,
                inclusive: true,
                reverse: true),
            #"{"at":1,"channel_id":"general","inclusive":true,"message_id":"\#(secondText)","next":3,"#
                + #""parent_message_id":"\#(firstText)","previous":2,"reverse":true}"#)
        try check(
            ListReplies.Response(parent: message, replies: [message], hasPrevious: false, hasNext: true),
            #"{"has_next":true,"has_previous":false,"parent":\#(messageJSON),"replies":[\#(messageJSON)]}"#)
    }

    @Test func `user requests match their wire shape`() throws {
        try check(
            UpsertUser(id: ann, nickname: "Ann", profileURL: "https://example.org/a", metadata: ["city": "Bonn"]),
            userJSON)
        try check(UserResponse(user: user), #"{"user":\#(userJSON)}"#)
        try check(GetUser(), "{}")
        try check(GetUser(userID: ann), #"{"user_id":"ann"}"#)
        try check(UpdatePreferences(), "{}")
        try check(UpdatePreferences(autoAcceptInvitations: false), #"{"auto_accept_invitations":false}"#)
        try check(
            UpdatePreferences.Response(autoAcceptInvitations: true),
            #"{"auto_accept_invitations":true,"push":"all"}"#)
    }

    @Test func `each request has its method name from the protocol`() {
        let requests: [any Request.Type] = [
            CreateChannel.self, GetChannel.self, JoinChannel.self, LeaveChannel.self, AcceptInvitation.self,
            DeclineInvitation.self, InviteToChannel.self, SendMessage.self, GetMessage.self, ListMessages.self,
            ListReplies.self, UpsertUser.self, GetUser.self, UpdatePreferences.self,
        ]
        #expect(
            requests.map { $0.method } == [
                "channel.create", "channel.get", "channel.join", "channel.leave", "channel.accept", "channel.decline",
                "channel.invite", "message.send", "message.get", "message.list", "thread.replies", "user.upsert",
                "user.get", "user.preferences",
            ])
        #expect(CreateChannel.notYet.isEmpty && GetChannel.notYet.isEmpty)
    }

    @Test func `unknown fields are ignored, and null means absent`() throws {
        let json = #"{"channel_id":"general","text":null,"client_id":null,"later":{"a":[1]},"kind":null}"#
        let request = try JSONDecoder().decode(SendMessage.self, from: Data(json.utf8))
        #expect(try self.json(request) == #"{"channel_id":"general"}"#)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(SendMessage.self, from: Data("{}".utf8)) }
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(SendMessage.self, from: Data(#"{"channel_id":"general","kind":"song"}"#.utf8))
        }
    }
}
