import ChatDomain
import ChatModel

// Conversion of all pieces of state except messages.

extension ProtoAppPart {
    init(_ part: AppPart) {
        self.init()
        lastAt = part.lastAt
        emojis = part.emojis.map(ProtoEmoji.init)
        webhooks = part.webhooks.map(ProtoWebhook.init)
        overrides = ProtoSettings(part.overrides)
        if let target = part.hook { hook = ProtoHook(target) }
        if let key = part.hashKey { hashKey = [key.low, key.high] }
    }
}

extension AppPart {
    init(_ proto: ProtoAppPart) throws(RecordError) {
        self.init(
            lastAt: proto.lastAt, emojis: proto.emojis.map(Emoji.init),
            webhooks: proto.webhooks.map(WebhookTarget.init),
            overrides: try SettingValues(proto.overrides))
        if proto.hasHook { hook = try HookTarget(proto.hook) }
        switch proto.hashKey.count {
        case 0: break
        case 2: hashKey = HashKey(low: proto.hashKey[0], high: proto.hashKey[1])
        default: throw .invalid(field: "hash_key")
        }
    }
}

extension ProtoUserPart {
    init(_ part: UserPart) {
        self.init()
        user = ProtoUserCreated(part.user)
        autoAcceptInvitations = part.autoAcceptInvitations
        isActive = part.isActive
        push = ProtoPush(part.push)
        devices = part.devices.map { device in
            .with {
                $0.provider = ProtoProvider(device.provider)
                $0.token = device.token
            }
        }
        inboxTop = part.inboxTop
        tokensRevokedBefore = part.tokensRevokedBefore
        seenAt = part.seenAt
        lastSeenAt = part.lastSeenAt
        isConnected = part.isConnected
        alias = part.erasure?.alias.rawValue ?? ""
        deletesMessages = part.erasure?.deletesMessages ?? false
    }
}

extension UserPart {
    init(_ proto: ProtoUserPart) throws(RecordError) {
        self.init(
            user: try Event.UserCreated(proto.user), autoAcceptInvitations: proto.autoAcceptInvitations,
            isActive: proto.isActive, push: try proto.push.preference(),
            devices: try decodeAll(proto.devices) { device throws(RecordError) in try device.device() },
            inboxTop: proto.inboxTop, tokensRevokedBefore: proto.tokensRevokedBefore,
            seenAt: proto.seenAt, lastSeenAt: proto.lastSeenAt, isConnected: proto.isConnected,
            erasure: try optionalUser(proto.alias, "alias").map {
                Erasure(alias: $0, deletesMessages: proto.deletesMessages)
            })
    }
}

extension ProtoFilePart {
    init(_ part: FilePart) {
        self.init()
        file = ProtoUploadedFile(part.file)
        at = part.at
        if let id = part.message { message = ProtoId(id) }
    }
}

extension FilePart {
    init(_ proto: ProtoFilePart) throws(RecordError) {
        self.init(
            file: try UploadedFile(proto.file), at: proto.at,
            message: proto.hasMessage ? proto.message.message : nil)
    }
}

extension ProtoChannelPart {
    init(_ part: ChannelPart) {
        self.init()
        channel = ProtoChannelCreated(part.channel)
        createdAt = part.createdAt
        isFrozen = part.isFrozen
        top = part.top
        invitations = part.invitations.map(ProtoInvitationPart.init)
        bans = part.bans.map(ProtoSanctionPart.init)
        mutes = part.mutes.map(ProtoSanctionPart.init)
        threads = part.threads.map(ProtoThreadPart.init)
        messageCount = UInt64(part.messageCount)
        messageSeconds = Int64(part.messageSeconds ?? 0)
        slowModeSeconds = Int64(part.slowModeSeconds ?? 0)
        senders = part.senders.map(ProtoSenderPart.init)
        if part.retention != Retention() { retention = ProtoRetention(part.retention) }
        firstOffset = part.firstOffset ?? 0
        `import` = part.importID ?? ""
        shift = UInt32(clamping: part.shift)
    }
}

extension ChannelPart {
    init(_ proto: ProtoChannelPart) throws(RecordError) {
        self.init(
            channel: try Event.ChannelCreated(proto.channel), createdAt: proto.createdAt, isFrozen: proto.isFrozen,
            top: proto.top, invitations: try decodeAll(proto.invitations, InvitationPart.init),
            bans: try decodeAll(proto.bans, SanctionPart.init), mutes: try decodeAll(proto.mutes, SanctionPart.init),
            threads: proto.threads.map(ThreadPart.init), messageCount: Int(clamping: proto.messageCount),
            messageSeconds: proto.messageSeconds == 0 ? nil : Int(clamping: proto.messageSeconds),
            slowModeSeconds: proto.slowModeSeconds == 0 ? nil : Int(clamping: proto.slowModeSeconds),
            retention: Retention(proto.retention), firstOffset: proto.firstOffset == 0 ? nil : proto.firstOffset,
            importID: proto.import.isEmpty ? nil : proto.import)
        shift = Int(clamping: proto.shift)
        senders = try decodeAll(proto.senders, SenderPart.init)
    }
}

extension ProtoChannelMorePart {
    init(_ id: ChannelID, _ part: ChannelMorePart) {
        self.init()
        channel = id.rawValue
        invitations = part.invitations.map(ProtoInvitationPart.init)
        bans = part.bans.map(ProtoSanctionPart.init)
        mutes = part.mutes.map(ProtoSanctionPart.init)
        threads = part.threads.map(ProtoThreadPart.init)
        senders = part.senders.map(ProtoSenderPart.init)
    }
}

extension ChannelMorePart {
    init(_ proto: ProtoChannelMorePart) throws(RecordError) {
        self.init()
        invitations = try decodeAll(proto.invitations, InvitationPart.init)
        bans = try decodeAll(proto.bans, SanctionPart.init)
        mutes = try decodeAll(proto.mutes, SanctionPart.init)
        threads = proto.threads.map(ThreadPart.init)
        senders = try decodeAll(proto.senders, SenderPart.init)
    }
}

extension ProtoSenderPart {
    init(_ part: SenderPart) {
        self.init()
        user = part.user.rawValue
        at = part.at
    }
}

extension SenderPart {
    init(_ proto: ProtoSenderPart) throws(RecordError) { self.init(user: try Records.user(proto.user), at: proto.at) }
}

extension ProtoThreadMark {
    init(_ mark: MemberPart.ThreadMark) {
        self.init()
        parent = ProtoId(mark.parent)
        upTo = mark.upTo
    }
}

extension MemberPart.ThreadMark {
    init(_ proto: ProtoThreadMark) { self.init(parent: proto.parent.message, upTo: proto.upTo) }
}

extension ProtoInvitationPart {
    init(_ part: InvitationPart) {
        self.init()
        user = part.user.rawValue
        by = part.inviter?.rawValue ?? ""
        role = ProtoRole(part.role)
        at = part.at
    }
}

extension InvitationPart {
    init(_ proto: ProtoInvitationPart) throws(RecordError) {
        self.init(
            user: try Records.user(proto.user), inviter: try optionalUser(proto.by, "by"),
            role: try proto.role.value("role"),
            at: proto.at)
    }
}

extension ProtoBlockListPart {
    init(_ part: BlockListPart) {
        self.init()
        user = part.user.rawValue
        blocked = part.blocked.rawValue
        at = part.at
    }
}

extension BlockListPart {
    init(_ proto: ProtoBlockListPart) throws(RecordError) {
        self.init(
            user: try Records.user(proto.user), blocked: try Records.user(proto.blocked, "blocked"), at: proto.at)
    }
}

extension ProtoAppSanctions {
    init(_ part: AppSanctionsPart) {
        self.init()
        bans = part.bans.map(ProtoSanctionPart.init)
        mutes = part.mutes.map(ProtoSanctionPart.init)
    }
}

extension AppSanctionsPart {
    init(_ proto: ProtoAppSanctions) throws(RecordError) {
        self.init(
            bans: try decodeAll(proto.bans, SanctionPart.init), mutes: try decodeAll(proto.mutes, SanctionPart.init))
    }
}

extension ProtoSanctionPart {
    init(_ part: SanctionPart) {
        self.init()
        user = part.user.rawValue
        until = part.until
        if let text = part.description { description_p = text }
        at = part.at
        by = part.by?.rawValue ?? ""
        isOutsider = part.isOutsider
    }
}

extension SanctionPart {
    init(_ proto: ProtoSanctionPart) throws(RecordError) {
        self.init(
            user: try Records.user(proto.user), until: proto.until,
            description: proto.hasDescription_p ? proto.description_p : nil, at: proto.at,
            by: try optionalUser(proto.by, "by"), isOutsider: proto.isOutsider)
    }
}

extension ProtoThreadPart {
    init(_ part: ThreadPart) {
        self.init()
        parent = ProtoId(part.parent)
        if let text = part.title { title = text }
        if let text = part.data { data = text }
    }
}

extension ThreadPart {
    init(_ proto: ProtoThreadPart) {
        self.init(
            parent: proto.parent.message, title: proto.hasTitle ? proto.title : nil,
            data: proto.hasData ? proto.data : nil)
    }
}

extension ProtoMemberPart {
    init(_ part: MemberPart) {
        self.init()
        user = part.user.rawValue
        role = ProtoRole(part.role)
        joinedAt = part.joinedAt
        invitedBy = part.invitedBy?.rawValue ?? ""
        since = part.since
        cameAt = part.joinOffset
        visibleFrom = part.visibleFrom
        lastRead = part.lastRead
        receipt = part.receipt
        threadMarks = part.threadMarks.map(ProtoThreadMark.init)
        hidden = ProtoHidden(part.hidden)
        push = ProtoPush(part.push)
        unhiddenUntold = part.needsUnhideNotice
    }
}

extension MemberPart {
    init(_ proto: ProtoMemberPart) throws(RecordError) {
        self.init(
            user: try Records.user(proto.user), role: try proto.role.value("role"), joinedAt: proto.joinedAt,
            invitedBy: try optionalUser(proto.invitedBy, "invited_by"), since: proto.since, joinOffset: proto.cameAt,
            visibleFrom: proto.visibleFrom, lastRead: proto.lastRead, receipt: proto.receipt,
            threadMarks: proto.threadMarks.map(ThreadMark.init),
            hidden: try proto.hidden.value("hidden"), push: try proto.push.value("push"),
            needsUnhideNotice: proto.unhiddenUntold)
    }
}
