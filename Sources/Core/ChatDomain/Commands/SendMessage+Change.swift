import ChatModel

extension SendMessage: HookedChange {
    package static var isBrief: Bool { true }

    package var hookedText: String? { text.flatMap { $0.isEmpty ? nil : $0 } }

    package func decide(
        in state: ChatState, _ context: Context, replacement: String?
    ) throws(Rejection) -> Decision {
        let channel = try state.joinedChannel(channelID, by: context.caller, at: context.now)
        let kind = try allowedKind(context.caller)
        let text = try checkedText(kind)
        if let replacement { try Self.check(replacement: replacement) }
        let requested = try state.requestedMentions(mentionType, mentionedUserIDs)
        try FieldChecks.size(expiresInSeconds, "expires_in_seconds", FieldLimits.expirySeconds)
        if channel.isEphemeral {
            if expiresInSeconds != nil { try channel.checkKeepsMessages("expires_in_seconds") }
            if parentMessageID != nil { try channel.checkKeepsMessages("parent_message_id") }
            try state.checkVoice(in: channel, context)
            try checkRole(in: channel, state, context)
            let checked = try state.checkedIfUsers(replacement ?? text, in: channel, context)
            let message = try ephemeralMessage(in: channel, checked.text, state, context)
            for file in message.files ?? [] { try state.checkUnsent(file.id, context) }
            let reports = context.caller.user.map { user in
                state.reports(of: checked, on: .member(channelID, user), by: user, context)
            }
            return Decision(channel.unhideEvents(by: context.caller.user) + (reports ?? []), messages: [message])
        }
        let earlier = try earlier(in: channel, context)
        // Checked before the files, because those of a deleted message no longer exist.
        if earlier?.isDeleted ?? false { throw Rejection(.messageDeleted, "client_id") }
        let extras = try checkedExtras(kind, in: state, context)
        if let earlier {
            earlier.needBody()
            channel.needQuote(in: earlier)
            guard isSame(as: earlier, kind: kind, text: text, requested, extras, in: channel) else {
                throw Rejection(.clientIDConflict)
            }
            return Decision([])
        }
        try state.checkVoice(in: channel, context)
        try checkRole(in: channel, state, context)
        try state.checkSlowMode(in: channel, context)
        let checked = try state.checkedIfUsers(replacement ?? text, in: channel, context)
        try checkFilesUnsent(extras, in: state, context)
        var quote: Event.Quote?
        if let parentMessageID { quote = Event.Quote(try parent(parentMessageID, in: channel, context)) }
        let mentions = state.reachable(requested, by: context.caller)
        let isAltered = checked.isMasked || replacement != nil || mentions != requested
        let sent = Event.MessageSent(
            channel: channelID, id: context.freshID, kind: kind, text: checked.text, sender: context.caller.user,
            clientID: clientID, parent: parentMessageID,
            replyToChannel: parentMessageID != nil && replyToChannel ?? true, customType: customType, data: data,
            mentions: mentions, extras: extras, quote: quote, expiresAt: expiry(in: channel, context),
            sentContent: isAltered && clientID != nil
                ? StoredMessage.contentHash(text, customType, data, requested, extras) : nil)
        // Appended one by one: `+` would allocate an array for each part.
        var events: [Event] = [.messageSent(sent)]
        if sent.parent == nil || sent.replyToChannel { events += channel.unhideEvents(by: sent.sender) }
        events += state.reports(of: checked, on: .message(channelID, sent.id), by: sent.sender, context)
        return Decision(events)
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record], replacement: String?
    ) throws(Rejection) -> MessageResponse {
        let channel = try state.joinedChannel(channelID, by: context.caller)
        if channel.isEphemeral {
            let text = try state.checkedIfUsers(replacement ?? text ?? "", in: channel, context).text
            return MessageResponse(message: try ephemeralMessage(in: channel, text, state, context))
        }
        let stored = try records.isEmpty ? earlier(in: channel, context) : channel.message(context.freshID)
        guard let stored else { throw Rejection(.notFound, "message") }
        let visibleFrom = channel.visibleFrom(context.caller)
        return MessageResponse(
            message: state.view(
                of: stored, in: channel, visibleFrom: visibleFrom, quoting: Self.quote(in: records)))
    }

    private func checkRole(in channel: ChannelState, _ state: ChatState, _ context: Context) throws(Rejection) {
        try state.check(parentMessageID == nil ? .send : .reply, in: channel, context)
        if mentionType == .channel { try state.check(.mentionChannel, in: channel, context) }
        if files?.contains(where: { $0.id != nil }) ?? false { try state.check(.upload, in: channel, context) }
    }

    /// Returns when the message is removed: the earlier of what the sender and the channel say.
    private func expiry(in channel: ChannelState, _ context: Context) -> Int64? {
        let seconds = min(expiresInSeconds ?? .max, channel.messageSeconds ?? .max)
        return seconds == .max ? nil : context.now + Int64(seconds) * 1_000
    }

    private static func quote(in records: [Record]) -> Event.Quote? {
        guard !records.isEmpty, case .messageSent(let sent) = records[0].event else { return nil }
        return sent.quote
    }

    /// Returns the kind of the message. Users send text and files; the app itself sends admin messages (`MS1`).
    func allowedKind(_ caller: Caller) throws(Rejection) -> MessageKind {
        switch (kind ?? (caller == .server ? .admin : .text), caller) {
        // Guests cannot send files, because everyone who sees the message loads the URL.
        case (.file, .user(let user)) where user.isGuest, (.files, .user(let user)) where user.isGuest:
            throw Rejection(.notForGuests, "kind: guests can only send text")
        case (let kind, .user) where kind != .admin: return kind
        case (.admin, .server): return .admin
        case (_, .user): throw Rejection(.serverOnly, "kind admin needs a server key")
        case (_, .server):
            throw Rejection(.badRequest, "as_user_id is required with a server key, except for kind admin")
        }
    }

    private static func check(replacement: String) throws(Rejection) {
        guard !replacement.isEmpty else { throw Rejection(.invalidValue, "text: must not be empty") }
        try FieldChecks.bytes(replacement, "text", atMost: FieldLimits.textBytes)
    }

    private func checkedText(_ kind: MessageKind) throws(Rejection) -> String {
        let text = text ?? ""
        if kind == .file || kind == .files {
            guard text.isEmpty else { throw Rejection(.invalidValue, "text: not accepted with files") }
        } else {
            guard !text.isEmpty else { throw Rejection(.invalidValue, "text: must not be empty") }
        }
        try FieldChecks.bytes(text, "text", atMost: FieldLimits.textBytes)
        try FieldChecks.bytes(data, "data", atMost: FieldLimits.dataBytes)
        try FieldChecks.bytes(customType, "custom_type", atMost: FieldLimits.customTypeBytes)
        try FieldChecks.bytes(clientID, "client_id", atMost: FieldLimits.clientIDBytes)
        if clientID?.isEmpty ?? false { throw Rejection(.invalidValue, "client_id: must not be empty") }
        if parentMessageID == nil, replyToChannel != nil {
            throw Rejection(.invalidValue, "reply_to_channel: only for replies")
        }
        return text
    }

    /// Returns the message that the same sender sent with the same client id (`MS3`).
    private func earlier(in channel: ChannelState, _ context: Context) throws(Rejection) -> StoredMessage? {
        guard let clientID, let place = channel.place(clientID: clientID, of: context.caller.user) else { return nil }
        guard channel.messages.indices.contains(place) else { throw Rejection(.messageDeleted, "client_id") }
        return channel.messages[place]
    }

    /// Returns whether a message has the same original content as an earlier one, even if that was changed since.
    private func isSame(
        as earlier: StoredMessage, kind: MessageKind, text: String, _ mentions: Mentions?, _ extras: MessageExtras?,
        in channel: ChannelState
    ) -> Bool {
        guard earlier.kind == kind, earlier.parent == parentMessageID,
            earlier.replyToChannel == (parentMessageID != nil && replyToChannel ?? true)
        else { return false }
        if let sent = channel.sentContent(of: earlier.id) {
            return sent == StoredMessage.contentHash(text, customType, data, mentions, extras)
        }
        return isSameText(earlier.text, text) && isSameText(earlier.customType, customType)
            && isSameText(earlier.data, data) && earlier.mentions == mentions
            && MessageExtras.isSame(earlier.extras, extras)
    }

    /// Returns the parent, which is not a reply (`T1`) and lies within the history visible to the sender.
    private func parent(
        _ id: MessageID, in channel: ChannelState, _ context: Context
    ) throws(Rejection) -> StoredMessage {
        guard let parent = channel.message(id) else { throw Rejection(.notFound, "parent_message_id") }
        guard parent.offset >= channel.visibleFrom(context.caller) else { throw Rejection(.parentUnavailable) }
        guard !parent.isDeleted else { throw Rejection(.messageDeleted, "parent_message_id") }
        guard parent.parent == nil else { throw Rejection(.threadDepth) }
        guard parent.kind != .admin else { throw Rejection(.wrongMessageKind, "parent_message_id") }
        return parent
    }
}

extension ChannelState {
    /// Returns the first offset that the caller can see; the server sees everything.
    func visibleFrom(_ caller: Caller) -> UInt64 {
        guard let user = caller.user else { return 0 }
        return members[user]?.visibleFrom ?? .max
    }
}

extension ChatState {
    /// Returns the mentions that a caller asks for (`MS2`); `nil` if nobody is mentioned.
    func requestedMentions(_ type: MentionType?, _ ids: [UserID]?) throws(Rejection) -> Mentions? {
        if type == .channel {
            guard ids == nil else {
                throw Rejection(.invalidValue, "mentioned_user_ids: not accepted with mention_type channel")
            }
            return .channel
        }
        // An edit may repeat the mention of a user who was deleted since.
        let ids = (ids ?? []).uniqued().filter { !$0.isDeleted }
        guard ids.count <= FieldLimits.mentions else {
            throw Rejection(.tooMany, "mentioned_user_ids: at most \(FieldLimits.mentions)")
        }
        for id in ids { _ = try user(id) }
        return ids.isEmpty ? nil : .users(ids)
    }

    /// Returns the mentions without users who have blocked the caller, which are dropped silently (`MO1`).
    func reachable(_ mentions: Mentions?, by caller: Caller) -> Mentions? {
        guard case .users(let ids) = mentions, let user = caller.user, blockLists.isBlocked(user) else {
            return mentions
        }
        let left = ids.filter { !blockLists.has($0, blocked: user) }
        return left.isEmpty ? nil : .users(left)
    }
}
