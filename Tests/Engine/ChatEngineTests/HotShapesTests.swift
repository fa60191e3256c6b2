import ChatEngine
import ChatModel
import Gateway
import Testing
import WireProtocol

/// A hand-written encoder must write every field like the generic one.
@Suite struct HotShapesTests {
    private func expectSame(_ value: some WireWritable, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(
            String(decoding: WireEncoder().encode(value), as: UTF8.self)
                == String(decoding: WireEncoder().encodeFields(of: value), as: UTF8.self),
            sourceLocation: sourceLocation)
    }

    private func user() -> User {
        var user = User(
            id: "ä\"b", nickname: "Ann\n", profileURL: "https://x/y",
            metadata: ["z": "1", "a": "2"],
            isActive: true, online: false, lastSeenAt: 5)
        user.isGuest = true
        user.isDeleted = true
        user.isAppAdmin = true
        return user
    }

    private func message() -> Message {
        let id = MessageID(high: 0x0192_0000_0000_7000, low: 0x8000_0000_0000_0001)
        let channel: ChannelID = "general"
        var message = Message(
            id: id, channelID: channel, kind: .text, text: "hello \"there\"\\ \u{1}€", user: user(), createdAt: -1,
            updatedAt: 2, deletedAt: 3, clientID: "c/1", parentMessageID: id, replyToChannel: false, offset: .max,
            parent: MessageParent(id: id, state: .ok), thread: MessageThread(channelID: channel, parentMessageID: id),
            reactions: [Reaction(key: "+1", count: 1, userIDs: [user().id], mine: true, updatedAt: 4)],
            customType: "t", data: "{}", mentionType: .users, mentionedUserIDs: [user().id])
        message.metaArrays = ["k": ["v"], "a": []]
        message.targetLanguages = ["de"]
        message.pushOption = .suppress
        message.criticalAlert = CriticalAlert(name: "bell", volume: 0.5)
        message.sourceID = "4711"
        message.fromBlocked = true
        message.expiresAt = 1_780_000_000_000
        message.files = []
        return message
    }

    /// Returns whether every field, as listed by a mirror, has a value.
    private func isComplete(_ value: Any) -> Bool {
        Mirror(reflecting: value).children.allSatisfy { child in
            let mirror = Mirror(reflecting: child.value)
            return mirror.displayStyle != .optional || !mirror.children.isEmpty
        }
    }

    @Test func `the fast path writes a user as the encoder does, with all fields and with none`() {
        var user = user()
        #expect(isComplete(user))
        expectSame(user)
        (user.isDeleted, user.isAppAdmin) = (nil, nil)
        expectSame(user)
        expectSame(User(id: user.id, nickname: ""))
    }

    @Test func `the fast path writes the same bytes as the encoder, with all optional fields and with none`() {
        let message = message()
        #expect(isComplete(message))
        expectSame(message)
        expectSame(
            Message(
                id: message.id, channelID: message.channelID, kind: .admin, text: nil, user: nil, createdAt: 0,
                offset: 0))
        expectSame(MessageResponse(message: message))
    }

    @Test func `the fast path writes an event as the encoder does, with all payloads and with none`() {
        let (message, user) = (message(), user())
        let (id, channelID) = (message.id, message.channelID)
        let channel = channel(channelID)
        let event = TypedEvent(
            type: .messageNew, at: 7, by: user.id, channelID: channelID, messageID: id, parentMessageID: id,
            message: message, thread: message.thread, reaction: ReactionChange(messageID: id),
            read: ReadState(userID: user.id, channelID: channelID, lastRead: ReadPosition(messageID: id, offset: 1)),
            unread: UnreadChange(channelID: channelID, markedFrom: id, unreadCount: 1, totals: UnreadTotals()),
            channel: channel, member: Member(user: user, role: .member, state: .joined),
            invitation: Invitation(channel: channel, inviter: user, invitee: user, at: 1), user: user,
            typing: Typing(channelID: channelID, user: user), presence: Presence(userID: user.id, online: true))
        #expect(isComplete(event))
        expectSame(event)
        expectSame(TypedEvent(type: .typingStarted, at: 7, by: nil))
    }

    @Test func `the fast path writes the data of a connect reply as the encoder does`() {
        let unread = UnreadTotals(
            unreadCount: 1, unreadMentionCount: 2, unreadChannelCount: 3, unreadThreadCount: 4, unreadReplyCount: 5)
        expectSame(unread)
        expectSame(ClientSettings(markAsUnread: true))
        expectSame(
            ConnectData(
                Attachment(
                    user: user(), unread: unread, emojiHash: "#", settings: ClientSettings(), grants: [])))
    }

    private func channel(_ id: ChannelID) -> Channel {
        Channel(
            id: id, name: "General", isPublic: true, isDistinct: false, isSuper: false, customType: nil, data: nil,
            coverURL: nil, metadata: ["b": "1", "a": "2"], createdAt: 1, createdBy: nil, memberCount: 1,
            joinedMemberCount: 1)
    }
}
