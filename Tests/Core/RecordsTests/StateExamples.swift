import ChatDomain
import ChatModel

/// Returns at least one part of every kind, with all of its fields and with as few as possible.
func stateExamples() throws -> [StatePart] {
    let ann = try valid(UserID("ann"))
    let bob = try valid(UserID("bøb\u{301} 😀"))
    let general = try valid(ChannelID("general"))
    let message = MessageID(high: 0x0199_0000_0000_7001, low: 0x8000_0000_0000_0002)
    let file = FileID(high: 7, low: .max)
    var settings = SettingValues()
    settings.reactions = false
    let emoji = Emoji(key: "k", url: "https://example.com/k", character: "😀", category: "c")
    let webhook = Webhook(id: "w", url: "https://example.com", events: .all)
    let upload = UploadedFile(id: file, channel: general, owner: ann, name: "y.png", size: 3, mimeType: "image/png")
    let created = Event.ChannelCreated(
        id: general, epoch: "e", name: "General", isPublic: true, isSuper: true, isEphemeral: true,
        distinctKey: DistinctKey(members: [ann], customType: "t"), coverURL: "https://c", data: "d", customType: "t",
        metadata: ["k": "v"], creator: ann, creatorRole: .operator)
    return [
        .app(
            AppPart(
                lastAt: 5, emojis: [emoji], webhooks: [.init(webhook: webhook, secret: "s", previousSecret: "p")],
                overrides: settings)),
        .app(AppPart(lastAt: 0, emojis: [], webhooks: [], overrides: SettingValues())),
        .users([
            UserPart(
                user: .init(id: ann, nickname: "Ann", profileURL: "https://a", metadata: ["k": "v"], inboxEpoch: "i"),
                autoAcceptInvitations: false, isActive: false, push: .mentionOnly,
                devices: [Device(provider: .web, token: "t")], inboxTop: .max),
            UserPart(
                user: .init(id: bob, nickname: "", metadata: [:], inboxEpoch: ""), autoAcceptInvitations: true,
                isActive: true, push: .all, devices: [], inboxTop: 0),
        ]),
        .files([FilePart(file: upload, at: 9, message: message), FilePart(file: upload, at: 9, message: nil)]),
        .orphans([file]),
        .reports([
            ReportPart(
                report: .init(
                    id: message, category: .spam, description: "x", target: .message(general, message), by: ann),
                at: 11)
        ]),
        .channel(
            ChannelPart(
                channel: created, createdAt: 1, isFrozen: true, top: 900,
                invitations: [
                    InvitationPart(user: bob, inviter: ann, role: .operator, at: 3),
                    InvitationPart(user: ann, inviter: nil, role: .member, at: 3),
                ],
                bans: [SanctionPart(user: bob, until: .max, description: "rude", at: 4, by: ann)],
                mutes: [SanctionPart(user: bob, until: 9, description: nil, at: 4, by: nil)],
                threads: [
                    ThreadPart(parent: message, title: "t", data: "d"),
                    ThreadPart(parent: message, title: nil, data: nil),
                ], messageCount: 4)),
        .members(
            general,
            [
                MemberPart(
                    user: ann, role: .operator, joinedAt: 1, invitedBy: bob, since: 2, joinOffset: 3, visibleFrom: 4,
                    lastRead: 5, receipt: 6, threadMarks: [.init(parent: message, upTo: 7)],
                    hidden: .hiddenPreventAutoUnhide, push: .off),
                MemberPart(
                    user: bob, role: .member, joinedAt: 0, invitedBy: nil, since: 0, joinOffset: 0, visibleFrom: 0,
                    lastRead: 0, receipt: 0, threadMarks: [], hidden: .unhidden, push: .default),
            ]),
        .messages(general, MessageColumns(try messageExamples(ann, bob, message))),
        .messages(general, MessageColumns()),
        .users([
            UserPart(
                user: .init(id: ann, nickname: "", metadata: [:], inboxEpoch: ""), autoAcceptInvitations: false,
                isActive: false, push: .all, devices: [], inboxTop: 0, tokensRevokedBefore: 1_780_000_000)
        ]),
        .users([
            UserPart(
                user: .init(id: .guest(1, 2), nickname: "Gus", metadata: [:], inboxEpoch: "i"),
                autoAcceptInvitations: true, isActive: true, push: .all, devices: [], inboxTop: 3,
                seenAt: 1_780_000_000_000)
        ]),
        .users([
            UserPart(
                user: .init(id: bob, nickname: "", metadata: [:], inboxEpoch: ""), autoAcceptInvitations: true,
                isActive: true, push: .all, devices: [], inboxTop: 0, lastSeenAt: 1_780_000_000_000, isConnected: true)
        ]),
        .reports([
            ReportPart(report: .init(id: message, category: .spam, target: .member(general, bob), by: ann), at: 12)
        ]),
        .emojis([emoji]), .channelMore(general, channelMoreExample(ann, bob, message)),
        .threadMarks(general, bob, [.init(parent: message, upTo: .max), .init(parent: message, upTo: 0)]),
        .reactions(
            general, place: 70_000,
            ReactionsPart(
                updatedAt: 15,
                keys: [
                    .init(
                        key: "k", updatedAt: 14, reactors: [.init(user: ann, offset: 9), .init(user: bob, offset: 90)])
                ])),
        .members(
            general,
            [
                MemberPart(
                    user: bob, role: .member, joinedAt: 0, invitedBy: nil, since: 0, joinOffset: 0, visibleFrom: 0,
                    lastRead: 0, receipt: 0, threadMarks: [], hidden: .unhidden, push: .default,
                    needsUnhideNotice: true)
            ]),
        // Since version 3.
        .channel(
            ChannelPart(
                channel: created, createdAt: 1, isFrozen: false, top: 900, invitations: [], bans: [], mutes: [],
                threads: [], messageCount: 0, messageSeconds: 60, retention: Retention(seconds: 0, count: 7),
                firstOffset: 3)),
        .messages(general, MessageColumns([try endingMessage(ann, message)])),
        .imports([
            ImportPart(
                id: "i", source: "s", stage: .discarding, lastLine: .max, startedAt: 16, endedAt: 17, channelCount: 18,
                settledCount: 19, messageCount: 20),
            ImportPart(
                id: "", source: "", stage: .running, lastLine: 0, startedAt: 0, endedAt: nil, channelCount: 0,
                settledCount: 0, messageCount: 0),
        ]),
        .channel(
            ChannelPart(
                channel: created, createdAt: 1, isFrozen: false, top: 1, invitations: [], bans: [], mutes: [],
                threads: [], messageCount: 0, importID: "i")),
        // Since version 4.
        .users([
            UserPart(
                user: .init(id: bob, nickname: "", metadata: [:], inboxEpoch: ""), autoAcceptInvitations: true,
                isActive: false, push: .all, devices: [], inboxTop: 0, tokensRevokedBefore: 1_780_000_000,
                erasure: Erasure(alias: .deleted(7), deletesMessages: true))
        ]),
        .erased([
            ErasedUser(key: .max, alias: .deleted(8), before: 1_780_000_000, deletesMessages: true),
            ErasedUser(key: 0, alias: .deleted(9), before: 0, deletesMessages: false),
        ]),
    ] + blockExamples(created, ann, message)
}

/// What a snapshot has whose bodies are in blocks.
private func blockExamples(_ created: Event.ChannelCreated, _ ann: UserID, _ id: MessageID) -> [StatePart] {
    var app = AppPart(lastAt: 6, emojis: [], webhooks: [], overrides: SettingValues())
    app.hashKey = HashKey(low: 1, high: .max)
    var channel = ChannelPart(
        channel: created, createdAt: 1, isFrozen: false, top: 5, invitations: [], bans: [], mutes: [], threads: [],
        messageCount: 1)
    channel.shift = 63
    var details = MessagePart.Details()
    details.hasUploads = true
    var message = MessagePart(
        id: id, offset: 5, createdAt: 3, kind: .file, text: "", sender: ann, clientID: nil, parent: nil,
        details: details)
    message.clientIDHash = .max
    var other = message
    (other.clientIDHash, other.details) = (nil, nil)
    let block = BlockPart(reference: BlockReference(file: .max, offset: 36, size: .max), count: 64)
    func ended(_ offset: UInt64) -> BlockPart {
        BlockPart(reference: block.reference, count: 3, last: BlockEnd(id: id, offset: offset))
    }
    let run = RunPart(
        reference: block.reference, count: 256, ids: id...MessageID(high: .max, low: 7), lastOffset: .max)
    return [
        .app(app), .channel(channel), .blocks(created.id, [block, block]),
        .messages(created.id, MessageColumns([message, other])),
        // Since version 5.
        .blocks(created.id, [ended(0), ended(9)]), .runs(created.id, first: 256, [run, run]),
    ] + moderationExamples(created, ann)
}

/// Since version 6.
private func moderationExamples(_ created: Event.ChannelCreated, _ ann: UserID) -> [StatePart] {
    let outsider = SanctionPart(user: ann, until: .max, description: "why", at: 4, by: nil, isOutsider: true)
    var slow = ChannelPart(
        channel: created, createdAt: 1, isFrozen: false, top: 5, invitations: [], bans: [outsider], mutes: [],
        threads: [], messageCount: 0, slowModeSeconds: 86_400)
    slow.senders = [SenderPart(user: ann, at: .max)]
    var more = ChannelMorePart()
    more.senders = [SenderPart(user: ann, at: 1)]
    return [
        .channel(slow), .channelMore(created.id, more), .appSanctions(AppSanctionsPart(bans: [outsider])),
        .appSanctions(AppSanctionsPart(mutes: [outsider])),
        .blockLists([BlockListPart(user: ann, blocked: .deleted(7), at: .max)]),
        .reports([
            ReportPart(
                report: .init(id: MessageID(high: 1, low: 2), category: .spam, target: .user(ann), by: ann), at: 12,
                state: .dismissed, settledAt: 13, note: "no")
        ]),
        .roles([RoleDefinition(customType: "t", role: .guest, permissions: [.send, .createChannels])]),
        .textRules([
            TextRuleDefinition(
                id: "a", words: ["x"], pattern: "p", forbiddenDomains: ["f"], allowedDomains: ["g"], action: .mask,
                customTypes: ["t"])
        ]),
        .moderationLog([
            ModerationPart(log: nil, number: .max, entry: ModerationEntry(action: "app.ban", at: 4)),
            ModerationPart(log: created.id, number: 0, entry: fullEntry(created.id, ann)),
        ]),
        .app(
            with(AppPart(lastAt: 1, emojis: [], webhooks: [], overrides: SettingValues())) {
                $0.hook = HookTarget(
                    hook: MessageHook(url: "https://h", timeoutMilliseconds: 50, onFailure: .allow), secret: "s",
                    previousSecret: "p")
            }),
    ]
}

private func fullEntry(_ channel: ChannelID, _ ann: UserID) -> ModerationEntry {
    var entry = ModerationEntry(action: "message.delete", at: 4, by: ann)
    (entry.channelID, entry.userID, entry.messageID) = (channel, .deleted(7), MessageID(high: 1, low: 2))
    (entry.reportID, entry.until, entry.description) = ("r", .max, "why")
    return entry
}

private func endingMessage(_ ann: UserID, _ id: MessageID) throws -> MessagePart {
    var details = MessagePart.Details()
    details.expiresAt = 15
    return MessagePart(
        id: id, offset: 4, createdAt: 3, kind: .text, text: "a", sender: ann, clientID: nil,
        parent: MessageID(high: id.high, low: 1), details: details)
}

private func channelMoreExample(_ ann: UserID, _ bob: UserID, _ message: MessageID) -> ChannelMorePart {
    var part = ChannelMorePart()
    part.invitations = [InvitationPart(user: bob, inviter: ann, role: .member, at: 3)]
    part.bans = [SanctionPart(user: bob, until: 5, description: "", at: 4, by: nil)]
    part.mutes = [SanctionPart(user: ann, until: .max, description: "loud", at: 4, by: bob)]
    part.threads = [ThreadPart(parent: message, title: "", data: nil)]
    return part
}

private func messageExamples(_ ann: UserID, _ bob: UserID, _ id: MessageID) throws -> [MessagePart] {
    var details = MessagePart.Details()
    details.replyToChannel = true
    details.customType = "t"
    details.data = "d"
    details.mentions = .users([ann])
    details.extras = MessageExtras()
    details.extras?.targetLanguages = ["de"]
    details.updatedAt = 12
    details.deletedAt = 13
    details.sentContent = .max
    details.reactions = ReactionsPart(
        updatedAt: 14, keys: [.init(key: "k", updatedAt: 13, reactors: [.init(user: bob, offset: 8)])])
    func part(
        _ offset: UInt64, _ text: String, _ sender: UserID?, kind: MessageKind = .text, clientID: String? = nil,
        parent: MessageID? = nil, details: MessagePart.Details? = nil
    ) -> MessagePart {
        MessagePart(
            id: MessageID(high: id.high, low: offset), offset: offset, createdAt: Int64(offset) * 3, kind: kind,
            text: text, sender: sender, clientID: clientID, parent: parent, details: details)
    }
    return [
        part(1, "hé 😀\u{0}", ann, clientID: "c1"), part(2, "", nil, kind: .admin),
        part(3, "b", bob, clientID: "", parent: MessageID(high: id.high, low: 1), details: details),
        part(900, "c", ann, kind: .files),
    ]
}
