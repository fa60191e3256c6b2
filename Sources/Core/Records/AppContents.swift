import ChatDomain
import ChatModel

// Conversion of the contents of app-wide events: emojis, reports, settings, webhooks.

extension ProtoEmoji {
    init(_ emoji: Emoji) {
        self.init()
        key = emoji.key
        if let text = emoji.url { url = text }
        if let text = emoji.character { character = text }
        if let text = emoji.category { category = text }
    }
}

extension Emoji {
    init(_ proto: ProtoEmoji) {
        self.init(
            key: proto.key, url: proto.hasURL ? proto.url : nil, character: proto.hasCharacter ? proto.character : nil,
            category: proto.hasCategory ? proto.category : nil)
    }
}

extension ProtoReportCreated {
    init(_ created: Event.ReportCreated) {
        self.init()
        id = ProtoId(created.id)
        category = ProtoCategory(created.category)
        if let text = created.description { description_p = text }
        switch created.target {
        case .channel(let id): channel = id.rawValue
        case .user(let id): user = id.rawValue
        case .message(let id, let messageID):
            channel = id.rawValue
            message = ProtoId(messageID)
        case .member(let id, let member):
            channel = id.rawValue
            user = member.rawValue
        }
        by = created.by.rawValue
        if let report = created.replaced { replaced = ProtoId(report) }
        if let id = created.ruleID { rule = id }
    }
}

extension Event.ReportCreated {
    init(_ proto: ProtoReportCreated) throws(RecordError) {
        let target: ReportTarget
        if proto.hasMessage {
            target = .message(try channel(proto.channel), proto.message.message)
        } else if proto.channel.isEmpty {
            target = .user(try user(proto.user))
        } else if proto.user.isEmpty {
            target = .channel(try channel(proto.channel))
        } else {
            target = .member(try channel(proto.channel), try user(proto.user))
        }
        self.init(
            id: proto.id.message, category: try proto.category.value("category"),
            description: proto.hasDescription_p ? proto.description_p : nil, target: target,
            by: try user(proto.by, "by"), replaced: proto.hasReplaced ? proto.replaced.message : nil,
            ruleID: proto.hasRule ? proto.rule : nil)
    }
}

extension ProtoSettings {
    init(_ values: SettingValues) {
        self.init()
        if let value = values.historyVisibleToNewcomers { historyVisibleToNewcomers = value }
        if let value = values.usersCreateChannels { usersCreateChannels = value }
        if let value = values.distinctByCustomType { distinctByCustomType = value }
        if let value = values.reactions { reactions = value }
        if let value = values.reactionsInSuperChannels { reactionsInSuperChannels = value }
        if let value = values.reactionUsersShown { reactionUsersShown = Int64(value) }
        if let value = values.presenceMembers { presenceMembers = Int64(value) }
        if let value = values.channelsPerUser { channelsPerUser = Int64(value) }
        if let value = values.membersPerChannel { membersPerChannel = Int64(value) }
        if let value = values.membersPerSuperChannel { membersPerSuperChannel = Int64(value) }
        if let value = values.replyType { replyType = ProtoReplyType(value) }
        if let value = values.threadReplySelect { threadReplySelect = ProtoThreadReplySelect(value) }
        if let value = values.markAsUnread { markAsUnread = value }
        if let value = values.userSearch { userSearch = value }
        if let value = values.presenceGraceMilliseconds { presenceGraceMilliseconds = Int64(value) }
        if let value = values.invitationsPerUser { invitationsPerUser = Int64(value) }
        if let value = values.channelsPerCreator { channelsPerCreator = Int64(value) }
        if let value = values.creationsAtOnce { creationsAtOnce = Int64(value) }
        if let value = values.creationsPerMinute { creationsPerMinute = Int64(value) }
        if let value = values.additionsAtOnce { additionsAtOnce = Int64(value) }
        if let value = values.additionsPerMinute { additionsPerMinute = Int64(value) }
        if let value = values.mostRepliedUsers { mostRepliedUsers = Int64(value) }
        if let value = values.userChannelIDs { userChannelIds = ProtoUserChannelIds(value) }
    }
}

extension SettingValues {
    init(_ proto: ProtoSettings) throws(RecordError) {
        self.init()
        if proto.hasHistoryVisibleToNewcomers { historyVisibleToNewcomers = proto.historyVisibleToNewcomers }
        if proto.hasUsersCreateChannels { usersCreateChannels = proto.usersCreateChannels }
        if proto.hasDistinctByCustomType { distinctByCustomType = proto.distinctByCustomType }
        if proto.hasReactions { reactions = proto.reactions }
        if proto.hasReactionsInSuperChannels { reactionsInSuperChannels = proto.reactionsInSuperChannels }
        if proto.hasReactionUsersShown { reactionUsersShown = try count(proto.reactionUsersShown) }
        if proto.hasPresenceMembers { presenceMembers = try count(proto.presenceMembers) }
        if proto.hasChannelsPerUser { channelsPerUser = try count(proto.channelsPerUser) }
        if proto.hasMembersPerChannel { membersPerChannel = try count(proto.membersPerChannel) }
        if proto.hasMembersPerSuperChannel { membersPerSuperChannel = try count(proto.membersPerSuperChannel) }
        if proto.hasReplyType { replyType = try proto.replyType.value("reply_type") }
        if proto.hasThreadReplySelect { threadReplySelect = try proto.threadReplySelect.value("thread_reply_select") }
        if proto.hasMarkAsUnread { markAsUnread = proto.markAsUnread }
        if proto.hasUserSearch { userSearch = proto.userSearch }
        if proto.hasPresenceGraceMilliseconds {
            presenceGraceMilliseconds = try count(proto.presenceGraceMilliseconds)
        }
        if proto.hasInvitationsPerUser { invitationsPerUser = try count(proto.invitationsPerUser) }
        if proto.hasChannelsPerCreator { channelsPerCreator = try count(proto.channelsPerCreator) }
        if proto.hasCreationsAtOnce { creationsAtOnce = try count(proto.creationsAtOnce) }
        if proto.hasCreationsPerMinute { creationsPerMinute = try count(proto.creationsPerMinute) }
        if proto.hasAdditionsAtOnce { additionsAtOnce = try count(proto.additionsAtOnce) }
        if proto.hasAdditionsPerMinute { additionsPerMinute = try count(proto.additionsPerMinute) }
        if proto.hasMostRepliedUsers { mostRepliedUsers = try count(proto.mostRepliedUsers) }
        if proto.hasUserChannelIds { userChannelIDs = try proto.userChannelIds.value("user_channel_ids") }
    }
}

private func count(_ value: Int64) throws(RecordError) -> Int {
    guard let count = Int(exactly: value) else { throw .invalid(field: "settings") }
    return count
}

extension ProtoWebhook {
    init(_ target: WebhookTarget) {
        self.init(target.webhook, secret: target.secret)
        if let previous = target.previousSecret { previousSecret = previous }
    }

    init(_ webhook: Webhook, secret: String) {
        self.init()
        id = webhook.id
        url = webhook.url
        switch webhook.events {
        case .all: allEvents = true
        case .types(let list): types = list
        }
        self.secret = secret
    }
}

extension WebhookTarget {
    init(_ proto: ProtoWebhook) {
        self.init(
            webhook: Webhook(proto), secret: proto.secret,
            previousSecret: proto.hasPreviousSecret ? proto.previousSecret : nil)
    }
}

extension Webhook {
    init(_ proto: ProtoWebhook) {
        self.init(id: proto.id, url: proto.url, events: proto.allEvents ? .all : .types(proto.types))
    }
}

extension ProtoHook {
    init(_ target: HookTarget) {
        self.init()
        url = target.hook.url
        timeoutMilliseconds = Int64(target.hook.timeoutMilliseconds)
        allowsOnFailure = target.hook.onFailure == .allow
        secret = target.secret
        if let previous = target.previousSecret { previousSecret = previous }
    }
}

extension HookTarget {
    /// - Returns: Nil if there is no hook.
    init?(_ proto: ProtoHook) throws(RecordError) {
        guard !proto.url.isEmpty else { return nil }
        let hook = MessageHook(
            url: proto.url, timeoutMilliseconds: try count(proto.timeoutMilliseconds),
            onFailure: proto.allowsOnFailure ? .allow : .refuse)
        self.init(
            hook: hook, secret: proto.secret, previousSecret: proto.hasPreviousSecret ? proto.previousSecret : nil)
    }
}
