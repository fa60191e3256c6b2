import ChatModel

extension UpdateMessage: HookedChange {
    package var hookedText: String? { text }

    package func decide(
        in state: ChatState, _ context: Context, replacement: String?
    ) throws(Rejection) -> Decision {
        let text = replacement ?? text
        let channel = try state.voicedChannel(channelID, context)
        try channel.checkKeepsMessages()
        let message = try state.changeableMessage(messageID, in: channel, own: .editOwn, others: .editAny, context)
        channel.needQuote(in: message)
        try check(text, of: message)
        if mentionType == .channel, message.mentions != .channel {
            try state.check(.mentionChannel, in: channel, context)
        }
        var mentions = message.mentions
        if mentionType != nil || mentionedUserIDs != nil {
            mentions = state.reachable(
                try state.requestedMentions(mentionType, mentionedUserIDs), by: context.caller)
        }
        let checked = try text.map { text throws(Rejection) in
            try state.checkedIfUsers(text, in: channel, context)
        }
        var updated = Event.MessageUpdated(
            channel: channelID, id: messageID, text: checked?.text ?? message.text,
            customType: Self.changed(message.customType, to: customType), data: Self.changed(message.data, to: data),
            mentions: mentions, extras: try changedExtras(message.extras))
        // A retry after a lost response changes nothing.
        let isSame =
            isSameText(updated.text, message.text) && isSameText(updated.customType, message.customType)
            && isSameText(updated.data, message.data) && updated.mentions == message.mentions
            && MessageExtras.isSame(updated.extras, message.extras)
        if isSame { return Decision([]) }
        if message.hasClientID, channel.sentContent(of: messageID) == nil {
            updated.sentContent = message.contentHash
        }
        let reports = checked.map {
            state.reports(of: $0, on: .message(channelID, messageID), by: context.caller.user, context)
        }
        return Decision([.messageUpdated(updated)] + (reports ?? []))
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record], replacement: String?
    ) throws(Rejection) -> MessageResponse {
        try state.response(about: messageID, in: channelID, context)
    }

    private func check(_ text: String?, of message: StoredMessage) throws(Rejection) {
        if let text {
            guard message.kind == .text || message.kind == .admin else {
                throw Rejection(.wrongMessageKind, "only a message of kind text or admin has a text")
            }
            guard !text.isEmpty else { throw Rejection(.invalidValue, "text: must not be empty") }
            try FieldChecks.bytes(text, "text", atMost: FieldLimits.textBytes)
        }
        try FieldChecks.bytes(data, "data", atMost: FieldLimits.dataBytes)
        try FieldChecks.bytes(customType, "custom_type", atMost: FieldLimits.customTypeBytes)
    }

    private static func changed(_ old: String?, to new: String?) -> String? {
        guard let new else { return old }
        return new.isEmpty ? nil : new
    }
}

extension DeleteMessage: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let channel = try state.joinedChannel(channelID, by: context.caller, at: context.now)
        try channel.checkKeepsMessages()
        let message = try state.changeableMessage(messageID, in: channel, own: .deleteOwn, others: .deleteAny, context)
        // Users can delete their own messages even if they are muted or the channel is frozen.
        if message.sender != context.caller.user { try state.checkVoice(in: channel, context) }
        guard channel.threads[message.id]?.replies.isEmpty ?? true else { throw Rejection(.parentHasReplies) }
        return Decision([.messageDeleted(channelID, messageID, files: message.uploads)])
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> MessageResponse {
        try state.response(about: messageID, in: channelID, context)
    }
}

extension ChannelState {
    /// Reads what a response about a message quotes of its parent, while the decision can still be repeated.
    func needQuote(in message: StoredMessage) {
        if let parent = message.parent { self.message(parent)?.needBody() }
    }

    /// Returns a message visible to the caller, deleted or not.
    func visibleMessage(_ id: MessageID, to caller: Caller) throws(Rejection) -> StoredMessage {
        guard let message = message(id), message.offset >= visibleFrom(caller) else {
            throw Rejection(.notFound, "message")
        }
        return message
    }

    /// Returns a message visible to the caller that is not deleted.
    func existingMessage(_ id: MessageID, for caller: Caller) throws(Rejection) -> StoredMessage {
        let message = try visibleMessage(id, to: caller)
        guard !message.isDeleted else { throw Rejection(.messageDeleted) }
        return message
    }
}

extension ChatState {
    /// Returns a message that the caller can change: with one permission their own, with the other that of someone else.
    fileprivate func changeableMessage(
        _ id: MessageID, in channel: ChannelState, own: Permission, others: Permission, _ context: Context
    ) throws(Rejection) -> StoredMessage {
        let message = try channel.existingMessage(id, for: context.caller)
        let isOwn = context.caller.user != nil && message.sender == context.caller.user
        try check(isOwn ? own : others, in: channel, context, usual: isOwn ? nil : .notTheAuthor)
        return message
    }

    fileprivate func response(
        about id: MessageID, in channelID: ChannelID, _ context: Context
    ) throws(Rejection) -> MessageResponse {
        let channel = try joinedChannel(channelID, by: context.caller)
        let message = try channel.visibleMessage(id, to: context.caller)
        return MessageResponse(
            message: view(
                of: message, in: channel, visibleFrom: channel.visibleFrom(context.caller), reactionsFor: context))
    }
}
