import ChatDomain
import ChatModel
import Foundation

func valid<Value>(_ value: Value?) throws -> Value {
    guard let value else { throw CocoaError(.coderInvalidValue) }
    return value
}

/// Returns at least one event of every kind, with all of its fields and with as few as possible.
func examples() throws -> [Event] {
    let ann = try valid(UserID("ann"))
    let bob = try valid(UserID("bøb\u{301} 😀"))
    let general = try valid(ChannelID("general"))
    let message = MessageID(high: 0x0199_0000_0000_7001, low: 0x8000_0000_0000_0002)
    let other = MessageID(high: .max, low: 0)
    let file = FileID(high: 7, low: .max)
    var extras = MessageExtras()
    extras.metaArrays = ["a": ["1", ""], "b": []]
    extras.targetLanguages = ["de", "fr"]
    extras.pushOption = .suppress
    extras.criticalAlert = CriticalAlert(name: "bell", volume: 0.5)
    extras.files = [
        MessageFile(id: file, url: "/v1/files/x/y.png", name: "y.png", size: .max, mimeType: "image/png"),
        MessageFile(url: "https://example.com/z"),
    ]
    extras.thumbnailSizes = [ThumbnailSize(maxWidth: 100, maxHeight: 1)]
    var empty = MessageExtras()
    empty.metaArrays = [:]
    empty.targetLanguages = []
    empty.files = []
    empty.thumbnailSizes = []
    empty.pushOption = .default
    var settings = SettingValues()
    settings.historyVisibleToNewcomers = false
    settings.usersCreateChannels = true
    settings.distinctByCustomType = false
    settings.reactions = true
    settings.reactionsInSuperChannels = false
    settings.reactionUsersShown = 0
    settings.presenceMembers = 1
    settings.channelsPerUser = 2
    settings.membersPerChannel = 3
    settings.membersPerSuperChannel = 4
    settings.replyType = ReplyType.none
    settings.threadReplySelect = .parent
    settings.markAsUnread = true
    settings.presenceGraceMilliseconds = 5
    settings.invitationsPerUser = 6
    let webhook = Webhook(id: "w", url: "https://example.com", events: .types(["message.new", "push"]))
    let users: [Event] =
        [
            .userCreated(
                .init(
                    id: ann, nickname: "Ann\u{0}", profileURL: "https://a", metadata: ["k": "v", "": ""],
                    inboxEpoch: "e")),
            .userCreated(.init(id: bob, nickname: "", metadata: [:], inboxEpoch: "")),
            .userUpdated(.init(id: ann, nickname: "", profileURL: "", metadata: [:])), .userUpdated(.init(id: ann)),
            .preferencesChanged(ann, autoAcceptInvitations: false),
            .preferencesChanged(ann, autoAcceptInvitations: true),
            .userDeactivated(ann), .userActivated(bob),
            .deviceRegistered(ann, Device(provider: .apns, token: "t")),
            .deviceUnregistered(ann, Device(provider: .web, token: "t")),
            .deviceRegistered(ann, Device(provider: .fcm, token: "t")),
        ]
        + PushPreference.allCases.map { .pushPreferenceChanged(ann, $0) }
        + ChannelPush.allCases.map { .channelPushChanged(general, ann, $0) }
    let channels: [Event] =
        [
            .channelCreated(
                .init(
                    id: general, epoch: "e", name: "General", isPublic: true, isSuper: true, isEphemeral: true,
                    distinctKey: DistinctKey(members: [ann, bob], customType: "t"), coverURL: "c", data: "d",
                    customType: "t", metadata: ["m": "1"], creator: ann, creatorRole: .operator)),
            .channelCreated(
                .init(
                    id: general, epoch: "e", name: "", isPublic: false, isSuper: false,
                    distinctKey: DistinctKey(members: [ann], customType: nil), metadata: [:], creatorRole: .member)),
            .distinctEnded(general), .channelDeleted(general), .channelFrozen(general), .channelUnfrozen(general),
            .invited(general, ann, by: bob, role: .operator), .invited(general, ann, by: nil, role: .member),
            .invitationAccepted(general, ann), .invitationDeclined(general, ann, by: bob, invitedAt: 5),
            .invitationCancelled(general, ann, by: nil, invitedAt: .max),
            .memberJoined(.init(channel: general, user: ann, role: .member, invitedBy: bob, seesHistory: true)),
            .memberJoined(.init(channel: general, user: ann, role: .operator, seesHistory: false)),
            .memberLeft(general, ann), .operatorAdded(general, ann), .operatorRemoved(general, ann),
            .memberBanned(.init(channel: general, user: ann, until: .max, description: "why")),
            .memberMuted(.init(channel: general, user: ann, until: 0)), .memberUnbanned(general, ann),
            .memberUnmuted(general, ann), .channelUpdated(.init(channel: general)),
            .channelUpdated(
                .init(
                    channel: general, name: "", coverURL: "c", data: "", customType: "t", isPublic: false, isSuper: true
                )),
            .metadataSet(general, ["z": "1", "a": "2"]), .metadataDeleted(general, keys: ["z", "a"]),
            .channelUnhidden(general, ann), .historyReset(general, ann, visibleFrom: .max),
            .channelHidden(.init(channel: general, user: ann, state: .hiddenAllowAutoUnhide, visibleFrom: 0)),
        ]
        + HiddenState.allCases.map { .channelHidden(.init(channel: general, user: ann, state: $0)) }
    let messages: [Event] =
        [
            .messageSent(
                .init(
                    channel: general, id: message, kind: .files, text: "a\u{0}b", sender: ann, clientID: "c",
                    parent: other,
                    replyToChannel: true, customType: "", data: "{}", mentions: .users([bob, ann]), extras: extras)),
            .messageUpdated(
                .init(
                    channel: general, id: message, text: "", customType: "t", data: "", mentions: .users([]),
                    extras: extras)),
            .messageUpdated(.init(channel: general, id: message, text: "x", mentions: .channel, extras: empty)),
            .messageDeleted(general, message),
            .readMarked(.init(channel: general, user: ann, thread: message, upTo: .max)),
            .readMarked(.init(channel: general, user: ann, upTo: 0)),
            .unreadMarked(.init(channel: general, user: ann, upTo: 4), from: message, totals: nil),
            .threadUpdated(.init(channel: general, parent: message, title: "", data: "d")),
            .threadUpdated(.init(channel: general, parent: message)),
            .reactionAdded(general, message, key: "sob", by: ann),
            .reactionRemoved(general, message, key: "sob", by: ann),
        ]
        + MessageKind.allCases.map {
            .messageSent(.init(channel: general, id: message, kind: $0, text: "", replyToChannel: false))
        }
    let app: [Event] =
        [
            .emojiCreated(Emoji(key: "k", url: "u", character: "c", category: "x")), .emojiDeleted(Emoji(key: "k")),
            .fileRegistered(
                UploadedFile(id: file, channel: general, owner: ann, name: "n", size: 3, mimeType: "text/plain")),
            .filesForgotten([file, FileID(high: 0, low: 0)]), .filesForgotten([]), .settingsChanged(settings),
            .settingsChanged(SettingValues()), .webhookSet(WebhookTarget(webhook: webhook, secret: "s")),
            .webhookDeleted(webhook), .webhookDeleted(Webhook(id: "", url: "", events: .all)),
        ]
        + [ReportTarget.channel(general), .user(bob), .message(general, message)].map {
            .reportCreated(.init(id: message, category: .spam, target: $0, by: ann))
        }
        + ReportCategory.allCases.map {
            .reportCreated(.init(id: message, category: $0, description: "d", target: .user(bob), by: ann))
        }
        + ReplyType.allCases.map { type in
            .settingsChanged(with(SettingValues()) { $0.replyType = type })
        }
        + ThreadReplySelect.allCases.map { select in
            .settingsChanged(with(SettingValues()) { $0.threadReplySelect = select })
        }
        + [.webhookSet(WebhookTarget(webhook: webhook, secret: "s", previousSecret: "p"))]
        // Since version 2.
        + [.tokensRevoked(ann, before: 1_780_000_000)]
        // Since version 3.
        + [.guestSeen(bob), .guestRemoved(bob)]
        // Since version 4.
        + [
            .usersSeen([.init(user: ann, leftAt: 1_780_000_000_000), .init(user: bob, leftAt: nil)]), .usersSeen([]),
            .reportCreated(.init(id: message, category: .spam, target: .member(general, bob), by: ann)),
            .reportCreated(.init(id: message, category: .spam, target: .user(bob), by: ann, replaced: message)),
            .settingsChanged(
                with(SettingValues()) {
                    $0.channelsPerCreator = 7
                    $0.creationsAtOnce = 8
                    $0.creationsPerMinute = 9
                    $0.additionsAtOnce = 10
                    $0.additionsPerMinute = 11
                    $0.mostRepliedUsers = 12
                }),
        ]
        // Fields that an older server ignores.
        + [.channelUpdated(.init(channel: general, isTakenOver: true))]
        + UserChannelIDs.allCases.map { ids in
            .settingsChanged(with(SettingValues()) { $0.userChannelIDs = ids })
        }
        + [
            .unreadMarked(
                .init(channel: general, user: ann, upTo: 4), from: message,
                totals: UnreadTotals(
                    unreadCount: 1, unreadMentionCount: 2, unreadChannelCount: 3, unreadThreadCount: 4,
                    unreadReplyCount: 5))
        ]
        // Since version 5.
        + [
            .messageSent(
                .init(
                    channel: general, id: message, kind: .text, text: "reply", sender: ann, parent: other,
                    replyToChannel: true,
                    quote: Event.Quote(kind: .text, sender: bob, createdAt: 1_780_000_000_000, text: "hello"))),
            .messageSent(
                .init(
                    channel: general, id: message, kind: .text, text: "", parent: other, replyToChannel: false,
                    quote: Event.Quote(kind: .admin, createdAt: 0, text: ""))),
            .messageSent(
                .init(
                    channel: general, id: message, kind: .text, text: "reply", sender: ann, parent: other,
                    replyToChannel: true,
                    quote: Event.Quote(
                        kind: .files, sender: ann, createdAt: .max,
                        file: MessageFile(
                            id: file, url: "/v1/files/x/y.png", name: "y", size: 1, mimeType: "image/png"),
                        thumbnailSizes: [ThumbnailSize(maxWidth: 1, maxHeight: 2)]))),
            .messageUpdated(.init(channel: general, id: message, text: "x", sentContent: 0)),
            .messageDeleted(general, message, files: [file, FileID(high: 0, low: 0)]),
            .messageDeleted(general, message, files: []),
        ]
        // Since version 6, and fields that an older server ignores.
        + [
            .retentionSet(general, Retention(seconds: 0, count: 7)), .retentionSet(general, Retention()),
            .historyTrimmed(
                .init(channel: general, upTo: .max, files: [file, FileID(high: 0, low: 0)])),
            .historyTrimmed(.init(channel: general, upTo: 1, files: [])),
            .channelUpdated(.init(channel: general, messageSeconds: 0)),
            .channelUpdated(.init(channel: general, messageSeconds: 31_536_000)),
            .messageSent(
                .init(
                    channel: general, id: message, kind: .text, text: "gone soon", replyToChannel: false,
                    expiresAt: 1_780_000_000_000)),
        ]
        + importExamples(ann, general, message)
        // Since version 7.
        + [
            .userDeleted(
                .init(
                    id: bob,
                    erased: ErasedUser(key: .max, alias: .deleted(7), before: 1_780_000_000, deletesMessages: true))),
            .userDeleted(
                .init(id: nil, erased: ErasedUser(key: 0, alias: .deleted(8), before: 0, deletesMessages: false))),
            .userReplaced(.init(channel: general, user: bob, after: 4, upTo: .max)),
            .userForgotten(bob, alias: .deleted(7)),
        ]
        // Fields that an older server ignores, and since version 8.
        + [
            .channelUpdated(.init(channel: general, slowModeSeconds: 0)),
            .channelUpdated(.init(channel: general, slowModeSeconds: 86_400)),
            .outsiderBanned(.init(channel: general, user: bob, until: 5, description: "why")),
            .outsiderUnbanned(general, bob), .userBanned(.init(user: bob, until: .max, description: "")),
            .userBanned(.init(user: ann, until: 0)), .userUnbanned(bob),
            .userMuted(.init(user: bob, until: 7, description: "loud")), .userUnmuted(ann),
            .userBlocked(ann, by: bob), .userUnblocked(bob, by: ann),
            .reportSettled(.init(id: message, state: .resolved, note: "muted")),
            .reportSettled(.init(id: message, state: .dismissed)), .reportSettled(.init(id: other, state: .open)),
            .reportDeleted(message),
            .reportCreated(
                .init(id: message, category: .inappropriate, target: .message(general, other), by: bob, ruleID: "r")),
            .textRulesSet([
                TextRuleDefinition(id: "a", words: ["x", ""], action: .refuse, customTypes: ["t"]),
                TextRuleDefinition(id: "b", pattern: "y+", action: .mask),
                TextRuleDefinition(id: "", forbiddenDomains: ["a.example"], allowedDomains: [], action: .report),
            ]),
            .rolesSet([
                .init(customType: "t", role: .appAdmin, permissions: Permission.allCases),
                .init(role: .listener, permissions: []), .init(role: .guest, permissions: nil),
            ]),
            .userCreated(.init(id: ann, nickname: "", metadata: [:], inboxEpoch: "", isAppAdmin: true)),
            .userUpdated(.init(id: ann, isAppAdmin: false)),
            .settingsChanged(with(SettingValues()) { $0.userSearch = true }),
            .textRulesSet([]), .textRulesDeleted(["a", "b"]), .textRulesDeleted([]),
            .messageSent(
                .init(
                    channel: general, id: message, kind: .text, text: "****", clientID: "c", replyToChannel: false,
                    sentContent: 7)),
            .reportDeleted(message, isOver: true),
            .hookSet(
                HookTarget(
                    hook: MessageHook(url: "https://h", timeoutMilliseconds: 50, onFailure: .allow), secret: "s",
                    previousSecret: "p")),
            .hookSet(HookTarget(hook: MessageHook(url: "https://h", onFailure: .refuse), secret: "s")), .hookSet(nil),
            .userDisconnected(bob),
            .historyTrimmed(.init(channel: general, upTo: 5, files: [], clientIDsFrom: 3)),
        ]
    return users + channels + messages + app
}

func with<Value>(_ value: Value, _ change: (inout Value) -> Void) -> Value {
    var value = value
    change(&value)
    return value
}

/// Since version 6.
private func importExamples(_ ann: UserID, _ general: ChannelID, _ message: MessageID) -> [Event] {
    let extras = with(MessageExtras()) { $0.sourceID = "4711" }
    let records = [
        Record(
            event: .channelCreated(
                .init(
                    id: general, epoch: "e", name: "", isPublic: false, isSuper: false, metadata: [:],
                    creatorRole: .member)), at: 1, by: nil, positions: []),
        Record(
            event: .messageSent(
                .init(
                    channel: general, id: message, kind: .text, text: "old", sender: ann, replyToChannel: false,
                    extras: extras)), at: .max, by: ann, positions: []),
    ]
    let key = DistinctKey(members: [ann], customType: "t")
    return [
        .importStarted(.init(id: "i", source: "s")),
        .importAdded(.init(id: "i", lastLine: .max, records: records)),
        .importAdded(.init(id: "", lastLine: 0, records: [])),
        .importSettled(
            .init(
                id: "i",
                opened: [.init(channel: general, distinctKey: key), .init(channel: general, distinctKey: nil)],
                discarded: [general], discards: true, isLast: true)),
        .importSettled(.init(id: "", opened: [], discarded: [], discards: false, isLast: false)),
    ]
}

/// Returns the examples as records in sequence.
func exampleRecords() throws -> [Record] {
    let ann = UserID("ann")
    return try examples().enumerated().map { index, event in
        Record(
            event: event, at: Int64(index), by: index.isMultiple(of: 2) ? ann : nil,
            positions: event.rooms.enumerated().map { RoomOffset(room: $1, offset: UInt64(index + $0)) })
    }
}
