import ChatModel

/// Messages, reactions and threads.
extension ImportDraft {
    mutating func add(_ message: ImportedMessage) throws(Rejection) {
        let id = message.channelID
        var draft = try draft(id)
        if draft.isEphemeral { throw Rejection(.ephemeralChannel) }
        guard (1...FieldLimits.sourceIDBytes).contains(message.id.utf8.count) else {
            throw Rejection(.invalidValue, "message.id: must have 1 to \(FieldLimits.sourceIDBytes) bytes")
        }
        let importedID = ImportedID(source: run.source, original: message.id)
        let sent = try content(of: message, importedID.at(message.createdAt), in: draft)
        if let earlier = draft.message(importedID) {
            // The same line again.
            if isSame(earlier, as: sent, message) { return }
            throw Rejection(.invalidValue, "message.id: another message has it")
        }
        guard message.createdAt >= draft.lastMessageAt else {
            throw Rejection(.invalidValue, "message.created_at: earlier than that of the message before")
        }
        if let clientID = sent.clientID, draft.has(clientID: clientID, of: sent.sender) {
            throw Rejection(.clientIDConflict)
        }
        record(.messageSent(sent), at: message.createdAt, by: sent.sender)
        draft.add(sent, importedID, at: message.createdAt, deletedAt: message.deletedAt)
        if let deletedAt = message.deletedAt {
            record(.messageDeleted(id, sent.id, files: []), at: deletedAt)
            _ = draft.advance()
        } else if let updatedAt = message.updatedAt {
            record(.messageUpdated(Event.MessageUpdated(imported: sent)), at: updatedAt, by: sent.sender)
            _ = draft.advance()
        }
        set(draft, of: id)
    }

    /// Returns the message with an original id.
    func message(_ original: String, _ field: String, in draft: ChannelDraft) throws(Rejection) -> StoredMessage {
        let id = ImportedID(source: run.source, original: original)
        guard let message = draft.message(id), message.isDeleted || message.extras?.sourceID == original else {
            throw Rejection(.notFound, field)
        }
        return message
    }

    mutating func addReaction(_ line: ImportLine, to id: ChannelID) throws(Rejection) {
        var draft = try draft(id)
        let key = try Self.required(line.key, "key")
        let user = try Self.required(line.userID, "user_id")
        let original = try Self.required(line.messageID, "message_id")
        try checkKnown(user)
        try checkTime(line.at, "at")
        let message = try message(original, "message_id", in: draft)
        guard !message.isDeleted else { throw Rejection(.messageDeleted, "message_id") }
        guard message.kind != .admin else { throw Rejection(.wrongMessageKind, "message_id") }
        guard knowsEmoji(key) else { throw Rejection(.unknownEmoji, key.utf8.count <= 64 ? key : nil) }
        guard !draft.hasReacted(user, to: message.id, key) else { return }
        record(.reactionAdded(id, message.id, key: key, by: user), at: line.at ?? message.createdAt, by: user)
        draft.addReaction(key, to: message.id, by: user)
        _ = draft.advance()
        set(draft, of: id)
    }

    mutating func addThread(_ line: ImportLine, to id: ChannelID) throws(Rejection) {
        var draft = try draft(id)
        let original = try Self.required(line.parentMessageID, "parent_message_id")
        let parent = try message(original, "parent_message_id", in: draft)
        guard parent.parent == nil else { throw Rejection(.threadDepth) }
        try FieldChecks.name(line.title, "title", atMost: FieldLimits.nameCodePoints)
        try FieldChecks.bytes(line.data, "data", atMost: FieldLimits.dataBytes)
        let updated = Event.ThreadUpdated(channel: id, parent: parent.id, title: line.title, data: line.data)
        record(.threadUpdated(updated), at: parent.createdAt)
        _ = draft.advance()
        set(draft, of: id)
    }

    // MARK: Checks

    private func isSame(_ earlier: StoredMessage, as sent: Event.MessageSent, _ message: ImportedMessage) -> Bool {
        earlier.id == sent.id && earlier.sender == sent.sender && earlier.parent == sent.parent
            && earlier.isDeleted == (message.deletedAt != nil)
            && (earlier.isDeleted
                || isSameText(earlier.text, sent.text) && isSameText(earlier.extras?.sourceID, message.id))
    }

    private func content(
        of message: ImportedMessage, _ id: MessageID, in draft: ChannelDraft
    ) throws(Rejection) -> Event.MessageSent {
        try checkTime(message.createdAt, "message.created_at")
        try checkTime(message.updatedAt, "message.updated_at")
        try checkTime(message.deletedAt, "message.deleted_at")
        guard message.expiresAt ?? 1 > 0 else {
            throw Rejection(.invalidValue, "message.expires_at: must be after 1970")
        }
        let sender = message.user?.id
        if let sender { try checkKnown(sender) }
        let kind = message.kind ?? (sender == nil ? .admin : .text)
        guard (kind == .admin) == (sender == nil) else {
            throw Rejection(.invalidValue, "message.user: required, except for kind admin, which has none")
        }
        let parent = try parent(of: message, in: draft)
        var sent = Event.MessageSent(
            channel: message.channelID, id: id, kind: kind, text: "", sender: sender, parent: parent,
            replyToChannel: parent != nil && message.replyToChannel ?? true)
        guard message.deletedAt == nil else { return sent }
        sent.text = try text(of: message, kind)
        sent.clientID = message.clientID
        sent.customType = message.customType
        sent.expiresAt = message.expiresAt
        sent.data = message.data
        sent.mentions = try mentions(in: message)
        sent.extras = try extras(of: message, kind)
        return sent
    }

    private func parent(of message: ImportedMessage, in draft: ChannelDraft) throws(Rejection) -> MessageID? {
        guard let original = message.parentMessageID else {
            guard message.replyToChannel == nil else {
                throw Rejection(.invalidValue, "message.reply_to_channel: only for replies")
            }
            return nil
        }
        let parent = try self.message(original, "message.parent_message_id", in: draft)
        guard parent.parent == nil else { throw Rejection(.threadDepth) }
        guard parent.kind != .admin else { throw Rejection(.wrongMessageKind, "message.parent_message_id") }
        return parent.id
    }

    private func text(of message: ImportedMessage, _ kind: MessageKind) throws(Rejection) -> String {
        let text = message.text ?? ""
        if kind == .file || kind == .files {
            guard text.isEmpty else { throw Rejection(.invalidValue, "message.text: not accepted with files") }
        } else {
            guard !text.isEmpty else { throw Rejection(.invalidValue, "message.text: must not be empty") }
        }
        try FieldChecks.bytes(text, "message.text", atMost: FieldLimits.textBytes)
        try FieldChecks.bytes(message.data, "message.data", atMost: FieldLimits.dataBytes)
        try FieldChecks.bytes(message.customType, "message.custom_type", atMost: FieldLimits.customTypeBytes)
        try FieldChecks.bytes(message.clientID, "message.client_id", atMost: FieldLimits.clientIDBytes)
        if message.clientID?.isEmpty ?? false {
            throw Rejection(.invalidValue, "message.client_id: must not be empty")
        }
        return text
    }

    private func mentions(in message: ImportedMessage) throws(Rejection) -> Mentions? {
        if message.mentionType == .channel { return .channel }
        let ids = (message.mentionedUserIDs ?? []).uniqued().filter { state.knows($0) || isNew($0) }
        guard ids.count <= FieldLimits.mentions else {
            throw Rejection(.tooMany, "message.mentioned_user_ids: at most \(FieldLimits.mentions)")
        }
        return ids.isEmpty ? nil : .users(ids)
    }

    private func extras(of message: ImportedMessage, _ kind: MessageKind) throws(Rejection) -> MessageExtras {
        try MessageExtrasChecks.metaArrays(message.metaArrays)
        try MessageExtrasChecks.targetLanguages(message.targetLanguages)
        var extras = MessageExtras()
        extras.sourceID = message.id
        if let arrays = message.metaArrays, !arrays.isEmpty { extras.metaArrays = arrays }
        if let tags = message.targetLanguages?.uniqued(), !tags.isEmpty { extras.targetLanguages = tags }
        let files = message.files ?? []
        guard kind == .file || kind == .files else {
            guard files.isEmpty else { throw Rejection(.invalidValue, "message.files: only for kind file or files") }
            return extras
        }
        guard !files.isEmpty else { throw Rejection(.invalidValue, "message.files: must not be empty") }
        let limit = kind == .file ? 1 : FieldLimits.filesPerMessage
        guard files.count <= limit else { throw Rejection(.tooMany, "message.files: at most \(limit)") }
        var kept: [MessageFile] = []
        for file in files {
            let link = FileReference(url: file.url, name: file.name, size: file.size, mimeType: file.mimeType)
            kept.append(try link.checkedExternalFile(allowsPaths: true))
        }
        extras.files = kept
        return extras
    }
}

extension Event.MessageUpdated {
    /// A change without a change, which gives the message its `updated_at`.
    fileprivate init(imported sent: Event.MessageSent) {
        self.init(
            channel: sent.channel, id: sent.id, text: sent.text, customType: sent.customType, data: sent.data,
            mentions: sent.mentions, extras: sent.extras)
    }
}
