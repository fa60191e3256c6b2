import ChatDomain
import ChatModel

// Conversion of the contents of message, thread, reaction and read events.

extension ProtoMessageSent {
    init(_ sent: Event.MessageSent) {
        self.init()
        channel = sent.channel.rawValue
        idHigh = sent.id.high
        idLow = sent.id.low
        kind = ProtoKind(sent.kind)
        text = sent.text
        sender = sent.sender?.rawValue ?? ""
        if let id = sent.clientID { clientID = id }
        if let id = sent.parent { parent = ProtoId(id) }
        replyToChannel = sent.replyToChannel
        if let type = sent.customType { customType = type }
        if let text = sent.data { data = text }
        if let value = sent.mentions { mentions = ProtoMentions(value) }
        if let value = sent.extras { extras = ProtoExtras(value) }
        if let value = sent.quote { quote = ProtoQuote(value) }
        expiresAt = sent.expiresAt ?? 0
        if let hash = sent.sentContent { sentContent = hash }
    }
}

extension Event.MessageSent {
    init(_ proto: ProtoMessageSent) throws(RecordError) {
        self.init(
            channel: try Records.channel(proto.channel), id: MessageID(high: proto.idHigh, low: proto.idLow),
            kind: try proto.kind.value("kind"), text: proto.text, sender: try optionalUser(proto.sender, "sender"),
            clientID: proto.hasClientID ? proto.clientID : nil, parent: proto.hasParent ? proto.parent.message : nil,
            replyToChannel: proto.replyToChannel, customType: proto.hasCustomType ? proto.customType : nil,
            data: proto.hasData ? proto.data : nil, mentions: proto.hasMentions ? try Mentions(proto.mentions) : nil,
            extras: proto.hasExtras ? try MessageExtras(proto.extras) : nil,
            quote: proto.hasQuote ? try Event.Quote(proto.quote) : nil,
            expiresAt: proto.expiresAt == 0 ? nil : proto.expiresAt,
            sentContent: proto.hasSentContent ? proto.sentContent : nil)
    }
}

extension ProtoRetention {
    init(_ retention: Retention) {
        self.init()
        if let value = retention.seconds { seconds = Int64(value) }
        if let value = retention.count { count = Int64(value) }
    }
}

extension Retention {
    init(_ proto: ProtoRetention) {
        self.init(
            seconds: proto.hasSeconds ? Int(clamping: proto.seconds) : nil,
            count: proto.hasCount ? Int(clamping: proto.count) : nil)
    }
}

extension ProtoHistoryTrimmed {
    init(_ trimmed: Event.HistoryTrimmed) {
        self.init()
        channel = trimmed.channel.rawValue
        upTo = trimmed.upTo
        files = trimmed.files.map(ProtoId.init)
        if let offset = trimmed.clientIDsFrom { clientIdsFrom = offset }
    }
}

extension Event.HistoryTrimmed {
    init(_ proto: ProtoHistoryTrimmed) throws(RecordError) {
        self.init(
            channel: try Records.channel(proto.channel), upTo: proto.upTo, files: proto.files.map(\.file),
            clientIDsFrom: proto.hasClientIdsFrom ? proto.clientIdsFrom : nil)
    }
}

extension ProtoQuote {
    init(_ quote: Event.Quote) {
        self.init()
        kind = ProtoKind(quote.kind)
        sender = quote.sender?.rawValue ?? ""
        createdAt = quote.createdAt
        if let value = quote.text { text = value }
        if let value = quote.file { file = ProtoMessageFile(value) }
        if let sizes = quote.thumbnailSizes { thumbnailSizes = ProtoThumbnailSizes(sizes) }
    }
}

extension Event.Quote {
    init(_ proto: ProtoQuote) throws(RecordError) {
        self.init(
            kind: try proto.kind.value("kind"), sender: try optionalUser(proto.sender, "sender"),
            createdAt: proto.createdAt, text: proto.hasText ? proto.text : nil,
            file: proto.hasFile ? MessageFile(proto.file) : nil,
            thumbnailSizes: proto.hasThumbnailSizes ? try proto.thumbnailSizes.sizes() : nil)
    }
}

extension ProtoMessageUpdated {
    init(_ updated: Event.MessageUpdated) {
        self.init()
        channel = updated.channel.rawValue
        id = ProtoId(updated.id)
        text = updated.text
        if let type = updated.customType { customType = type }
        if let text = updated.data { data = text }
        if let value = updated.mentions { mentions = ProtoMentions(value) }
        if let value = updated.extras { extras = ProtoExtras(value) }
        if let hash = updated.sentContent { sentContent = hash }
    }
}

extension Event.MessageUpdated {
    init(_ proto: ProtoMessageUpdated) throws(RecordError) {
        self.init(
            channel: try Records.channel(proto.channel), id: proto.id.message, text: proto.text,
            customType: proto.hasCustomType ? proto.customType : nil, data: proto.hasData ? proto.data : nil,
            mentions: proto.hasMentions ? try Mentions(proto.mentions) : nil,
            extras: proto.hasExtras ? try MessageExtras(proto.extras) : nil,
            sentContent: proto.hasSentContent ? proto.sentContent : nil)
    }
}

extension ProtoMentions {
    init(_ mentions: Mentions) {
        self.init()
        switch mentions {
        case .channel: channel = true
        case .users(let ids): users = ids.map(\.rawValue)
        }
    }
}

extension Mentions {
    init(_ proto: ProtoMentions) throws(RecordError) {
        self = proto.channel ? .channel : .users(try Records.users(proto.users, "mentions"))
    }
}

extension ProtoReadMark {
    init(_ mark: Event.ReadMark) {
        self.init()
        channel = mark.channel.rawValue
        user = mark.user.rawValue
        if let id = mark.thread { thread = ProtoId(id) }
        upTo = mark.upTo
    }
}

extension Event.ReadMark {
    init(_ proto: ProtoReadMark) throws(RecordError) {
        self.init(
            channel: try Records.channel(proto.channel), user: try Records.user(proto.user),
            thread: proto.hasThread ? proto.thread.message : nil, upTo: proto.upTo)
    }
}

extension ProtoUnreadTotals {
    init(_ totals: UnreadTotals) {
        self.init()
        messages = UInt64(clamping: totals.unreadCount)
        mentions = UInt64(clamping: totals.unreadMentionCount)
        channels = UInt64(clamping: totals.unreadChannelCount)
        threads = UInt64(clamping: totals.unreadThreadCount)
        replies = UInt64(clamping: totals.unreadReplyCount)
    }
}

extension UnreadTotals {
    init(_ proto: ProtoUnreadTotals) {
        self.init(
            unreadCount: Int(clamping: proto.messages), unreadMentionCount: Int(clamping: proto.mentions),
            unreadChannelCount: Int(clamping: proto.channels), unreadThreadCount: Int(clamping: proto.threads),
            unreadReplyCount: Int(clamping: proto.replies))
    }
}

extension ProtoThreadUpdated {
    init(_ updated: Event.ThreadUpdated) {
        self.init()
        channel = updated.channel.rawValue
        parent = ProtoId(updated.parent)
        if let text = updated.title { title = text }
        if let text = updated.data { data = text }
    }
}

extension Event.ThreadUpdated {
    init(_ proto: ProtoThreadUpdated) throws(RecordError) {
        self.init(
            channel: try Records.channel(proto.channel), parent: proto.parent.message,
            title: proto.hasTitle ? proto.title : nil, data: proto.hasData ? proto.data : nil)
    }
}

extension ProtoReaction {
    init(_ channelID: ChannelID, _ messageID: MessageID, _ key: String, _ user: UserID) {
        self.init()
        channel = channelID.rawValue
        message = ProtoId(messageID)
        self.key = key
        by = user.rawValue
    }
}
