import ChatModel
import Testing

@testable import ChatDomain

/// The state in parts, as in snapshots. The model's random histories compare restored states with complete ones.
@Suite struct StatePartTests {
    private static func user() -> StatePart {
        .users([
            UserPart(
                user: .init(id: ann, nickname: "Ann", metadata: [:], inboxEpoch: "i"),
                autoAcceptInvitations: true, isActive: true, push: .all, devices: [], inboxTop: 0)
        ])
    }

    private static let pair = DistinctKey(members: [ann, bob], customType: nil)

    private static func channel(top: UInt64 = 9) -> StatePart {
        .channel(
            ChannelPart(
                channel: .init(
                    id: general, epoch: "e", name: "General", isPublic: true, isSuper: false,
                    distinctKey: pair, metadata: [:], creator: nil, creatorRole: .operator),
                createdAt: 1, isFrozen: false, top: top, invitations: [], bans: [], mutes: [], threads: [],
                messageCount: 0))
    }

    private static func member() -> StatePart {
        .members(
            general,
            [
                MemberPart(
                    user: ann, role: .member, joinedAt: 1, invitedBy: nil, since: 0, joinOffset: 0,
                    visibleFrom: 0, lastRead: 0, receipt: 0, threadMarks: [], hidden: .unhidden, push: .default)
            ])
    }

    private static func message(_ offset: UInt64, id: UInt64? = nil, parent: Int? = nil) -> StatePart {
        .messages(
            general,
            MessageColumns(
                [
                    MessagePart(
                        id: MessageID(high: 1, low: id ?? offset), offset: offset, createdAt: 1, kind: .text, text: "x",
                        sender: ann, clientID: nil, parent: nil, details: nil)
                ].map { part in
                    var part = part
                    // As older servers wrote it.
                    part.parentPlace = parent
                    return part
                }))
    }

    private static func loaded(_ parts: [StatePart]) throws -> ChatState {
        let state = ChatState()
        for part in parts { try state.load(part) }
        return state
    }

    /// Regression: a message that unhides a channel for more members than it notifies leaves the rest to later
    /// messages. After a restart from a snapshot they were never notified.
    @Test
    func `CH11: members not yet notified of an unhidden channel are notified after a restart from a snapshot`() throws {
        let crowd = (0..<FieldLimits.unhiddenAtOnce + 5).compactMap { UserID("m\(1_000 + $0)") }
        var chat = Chat([ann] + crowd)
        try chat.run(CreateChannel(id: general, userIDs: crowd, isSuper: true), as: .user(ann))
        for user in crowd { try chat.run(HideChannel(channelID: general), as: .user(user)) }
        try chat.say("hello", by: ann)
        try chat.run(HideChannel(channelID: general), as: .user(ann))
        let unnotified = Array(crowd.suffix(5))
        let again = try #require(unnotified.first)
        var copy = try chat.copied()
        for _ in 1...2 {
            let channel = try #require(copy.channels[general])
            #expect(channel.unhideEvents(by: ann) == unnotified.map { Event.channelUnhidden(general, $0) })
            for user in crowd { #expect(channel.hiddenState(of: user) == .unhidden) }
            #expect(channel.hiddenState(of: ann) == .hiddenAllowAutoUnhide, "hidden after the message")
            var parts: [StatePart] = []
            copy.parts { parts.append($0) }
            copy = try Self.loaded(parts)
        }
        let channel = try #require(copy.channels[general])
        channel.hide(.hiddenAllowAutoUnhide, for: again)
        #expect(channel.hiddenState(of: again) == .hiddenAllowAutoUnhide, "until the next message")
    }

    /// A new property that no part stores would be lost with the next snapshot. Add it to a part, or rebuild it when
    /// parts are loaded, and then name it here.
    @Test func `every property of the state is in a part or a projection`() throws {
        let state = try Self.loaded([Self.user(), Self.channel(), Self.member(), Self.message(1)])
        func names(_ value: Any) -> Set<String> { Set(Mirror(reflecting: value).children.compactMap(\.label)) }
        #expect(
            names(state) == [
                "users", "channels", "distinctChannels", "publicChannels", "emojis", "reports", "webhooks", "overrides",
                "deviceOwners", "files", "removedFiles", "discarded", "membershipCleanup", "lastDeleted", "lastAt",
                "guests", "channelsByCreator", "vacating", "imports", "clientIDHash", "blocks", "runs", "erased",
                "beingErased", "moderation", "blockLists", "textRules", "roles", "hook",
            ])
        let user = try #require(state.users.first?.value)
        #expect(
            names(user) == [
                "id", "nickname", "foldedNickname", "sortKey", "profileURL", "metadata", "autoAcceptInvitations",
                "isActive", "tokensRevokedBefore", "seenAt", "lastSeenAt", "isConnected", "push", "devices",
                "inboxEpoch", "inboxTop", "joinedChannels", "sortedChannels", "invitations", "invitationsByInviter",
                "erasure", "isAppAdmin",
            ])
        let channel = try #require(state.channels.first?.value)
        #expect(
            names(channel) == [
                "id", "epoch", "name", "foldedName", "sortKey", "isPublic", "isSuper", "isEphemeral", "isFrozen",
                "distinctKey",
                "coverURL", "data", "customType", "metadataValues", "createdAt", "createdBy", "members",
                "invitations",
                "operators", "autoUnhiders", "bans", "mutes", "top", "store", "messageSeconds", "retention",
                "firstOffset", "slowMode", "moderationLog",
            ])
        #expect(
            names(try #require(Mirror(reflecting: channel).children.first { $0.label == "store" }?.value)) == [
                "messages", "readIndex", "sentContents", "clientIDs", "threads", "participations",
                "reactions", "runs",
            ])
        #expect(
            names(channel.messages) == [
                "entries", "startIndex", "endIndex", "firstKept", "senders", "facts", "slots", "shift",
                "changes",
                "placesByID",
            ])
        let message = try #require(channel.messages.first)
        #expect(
            names(MessageEntry(message, sender: 0, parent: nil)) == [
                "id", "offset", "delay", "sender", "parent", "kind", "flags",
            ])
        #expect(
            names(MessageFacts.none) == [
                "customType", "mentions", "updatedAt", "deletedAt", "expiresAt", "missingParent", "createdAt",
            ])
        #expect(names(message.body) == ["text", "clientID", "data", "extras"])
        #expect(
            names(try #require(channel.members.all.first?.value)) == [
                "role", "joinedAt", "invitedBy", "since", "joinOffset", "visibleFrom", "lastRead", "receipt",
                "threadMarks", "hidden", "push",
            ])
        #expect(names(channel.members) == ["all", "guestCount", "includesGuests"])
        #expect(
            names(ThreadState()) == [
                "replies", "title", "data", "lastReplyAt", "repliesByUser", "repliers", "mostReplied",
            ])
    }

    @Test func `lookups find a channel in a state restored from parts`() throws {
        let state = try Self.loaded([Self.user(), Self.channel(), Self.member()])
        #expect(state.distinctChannels.count == 1 && state.distinctChannels[Self.pair] == general)
        #expect(state.publicChannels[general] != nil)
        #expect(state.users[ann]?.joinedChannels.contains(general) == true)
    }

    @Test func `inconsistent parts are refused`() throws {
        let (user, channel, member) = (Self.user(), Self.channel(), Self.member())
        let wrong: [([StatePart], StatePart.Problem)] = [
            ([user, user], .repeated("user ann")),
            ([user, channel, channel], .repeated("channel general")),
            ([channel, member], .unknownUser(ann)),
            ([user, member], .unknownChannel(general)),
            ([user, channel, member, member], .repeated("member ann of general")),
            ([user, Self.message(1)], .unknownChannel(general)),
            ([user, channel, Self.message(10)], .misplaced(MessageID(high: 1, low: 10))),
            ([user, channel, Self.message(0)], .misplaced(MessageID(high: 1, low: 0))),
            ([user, channel, Self.message(2), Self.message(2)], .misplaced(MessageID(high: 1, low: 2))),
            (
                [user, channel, Self.message(2), Self.message(3, id: 2)],
                .repeated("message \(MessageID(high: 1, low: 2))")
            ),
            ([user, channel, Self.message(2, parent: 0)], .misplaced(MessageID(high: 1, low: 2))),
            ([user, channel, Self.message(2, parent: -1)], .misplaced(MessageID(high: 1, low: 2))),
            ([Self.channel(top: .max)], .exhausted("general")),
            ([user, .channelMore(general, ChannelMorePart())], .unknownChannel(general)),
            ([user, channel, .threadMarks(general, ann, [])], .unknownUser(ann)),
            (
                [user, channel, Self.message(2), .reactions(general, place: 1, ReactionsPart(updatedAt: 1, keys: []))],
                .misplacedReactions(general, place: 1)
            ),
        ]
        for (parts, problem) in wrong { #expect(throws: problem) { try Self.loaded(parts) } }
        _ = try Self.loaded([user, channel, member, Self.message(2), Self.message(3, parent: 0)])
    }

    @Test func `each part holds a limited number of items`() throws {
        let state = try Self.loaded([Self.user(), Self.channel(top: 10_000)])
        for offset in 1...10_000 as ClosedRange<UInt64> { try state.load(Self.message(offset)) }
        var sizes: [Int] = []
        state.parts { part in if case .messages(_, let messages) = part { sizes.append(messages.count) } }
        #expect(sizes == [4_096, 4_096, 1_808])
    }
}
