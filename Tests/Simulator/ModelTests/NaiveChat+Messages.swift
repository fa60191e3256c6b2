import ChatModel

extension NaiveChat {
    /// - Parameter replacement: The text by which the app's hook has replaced that of the request.
    mutating func send(
        _ request: SendMessage, _ user: UserID?, as replacement: String? = nil
    ) throws(Refused) -> Outcome {
        var channel = try enteredUnlessBanned(request.channelID, user)
        let kind = request.kind ?? (user == nil ? .admin : .text)
        try refuse(1009, when: kind == .admin && user != nil)
        try refuse(107, when: kind == .text && user == nil)
        guard let text = request.text, !text.isEmpty else { throw Refused(code: 1032) }
        try refuse(1032, when: replacement == "")
        try refuse(1032, when: request.clientID == "")
        try refuse(1032, when: request.parentMessageID == nil && request.replyToChannel != nil)
        let content = NaiveMessage.Content(
            text: text, customType: request.customType, data: request.data,
            mentions: try mentioned(request.mentionType, request.mentionedUserIDs))
        try refuse(1032, when: request.expiresInSeconds.map { $0 < 1 } ?? false)
        let toChannel = request.parentMessageID != nil && request.replyToChannel != false
        try refuse(1025, when: channel.isEphemeral && request.expiresInSeconds != nil)
        if channel.isEphemeral {
            var content = content
            content.text = replacement ?? text
            return try sendInPassing(request, content, &channel, user)
        }
        let isRemoved = channel.removedClientIDs.contains { $0.id == request.clientID && $0.sender == user }
        try refuse(1023, when: isRemoved)
        let earlier = channel.messages.firstIndex {
            request.clientID != nil && $0.clientID == request.clientID && $0.sender == user
        }
        if let earlier {
            let message = channel.messages[earlier]
            try refuse(1023, when: message.deletedAt != nil)
            let isSame =
                message.original == content && message.parent == request.parentMessageID
                && message.toChannel == toChannel
            try refuse(1033, when: !isSame)
            return .message(seen(earlier, in: channel, by: user))
        }
        try checkVoice(of: user, in: channel)
        try checkRole(request, user, in: channel)
        try checkSlowMode(of: user, in: channel)
        var passing = content
        passing.text = try checked(replacement ?? text, by: user)
        passing.mentions = reachable(content.mentions, by: user)
        if let parent = request.parentMessageID {
            guard let index = channel.index(of: parent) else { throw Refused(code: 1000) }
            try refuse(1022, when: index < channel.hidden(from: user))
            try refuse(1023, when: channel.messages[index].deletedAt != nil)
            try refuse(1020, when: channel.messages[index].parent != nil)
            try refuse(1024, when: channel.messages[index].isAdmin)
        }
        let seconds = [request.expiresInSeconds, channel.messageSeconds].compactMap(\.self).min()
        channel.messages.append(
            NaiveMessage(
                id: fresh, at: now, isAdmin: user == nil, sender: user, clientID: request.clientID,
                parent: request.parentMessageID, toChannel: toChannel,
                expiresAt: seconds.map { now + Int64($0) * 1_000 }, original: content, content: passing))
        if let user, channel.slowModeSeconds != nil { channel.lastSent[user] = now }
        // A first reply marks the thread read up to it.
        if let user, let parent = request.parentMessageID, channel.joined[user]?.threadRead[parent] == nil {
            channel.joined[user]?.threadRead[parent] = channel.messages.count
        }
        if request.parentMessageID == nil || toChannel { bringBack(&channel, sender: user) }
        channels[channel.id] = channel
        tellMessage(channel.messages.count - 1, in: channel)
        return .message(seen(channel.messages.count - 1, in: channel, by: user))
    }

    private func checkRole(_ request: SendMessage, _ user: UserID?, in channel: NaiveChannel) throws(Refused) {
        try need(request.parentMessageID == nil ? .send : .reply, user, in: channel)
        if request.mentionType == .channel { try need(.mentionChannel, user, in: channel) }
    }

    private func checkSlowMode(of user: UserID?, in channel: NaiveChannel) throws(Refused) {
        guard let user, isBelowOperators(user, in: channel), let seconds = channel.slowModeSeconds,
            let last = channel.lastSent[user]
        else { return }
        try refuse(1051, when: now < last + Int64(seconds) * 1_000)
    }

    /// Publishes an ephemeral message, which is not stored.
    private mutating func sendInPassing(
        _ request: SendMessage, _ content: NaiveMessage.Content, _ channel: inout NaiveChannel, _ user: UserID?
    ) throws(Refused) -> Outcome {
        try refuse(1025, when: request.parentMessageID != nil)
        try checkVoice(of: user, in: channel)
        try checkRole(request, user, in: channel)
        var content = content
        content.text = try checked(content.text, by: user)
        content.mentions = reachable(content.mentions, by: user)
        var passing = channel
        passing.messages = [
            NaiveMessage(
                id: fresh, at: now, isAdmin: user == nil, sender: user, clientID: request.clientID, parent: nil,
                toChannel: false, expiresAt: nil, original: content, content: content)
        ]
        bringBack(&channel, sender: user)
        channels[channel.id] = channel
        tellMessage(0, in: passing)
        return .message(seen(0, in: passing, by: user))
    }

    private func mentioned(_ type: MentionType?, _ people: [UserID]?) throws(Refused) -> NaiveMessage.Mentioned? {
        if type == .channel {
            try refuse(1032, when: people != nil)
            return .everyone
        }
        var once: [UserID] = []
        for id in people ?? [] where !once.contains(id) { once.append(id) }
        for id in once { try refuse(1000, when: self.people[id] == nil) }
        return once.isEmpty ? nil : .people(once)
    }

    /// Returns mentions without those who have blocked the sender.
    private func reachable(_ mentions: NaiveMessage.Mentioned?, by user: UserID?) -> NaiveMessage.Mentioned? {
        guard case .people(let people) = mentions else { return mentions }
        let left = people.filter { !isBlocked(user, by: $0) }
        return left.isEmpty ? nil : .people(left)
    }

    /// Returns the index of a message that the reader may see and that still exists.
    func living(_ id: MessageID, in channel: NaiveChannel, _ user: UserID?) throws(Refused) -> Int {
        guard let index = channel.index(of: id), index >= channel.hidden(from: user) else { throw Refused(code: 1000) }
        try refuse(1023, when: channel.messages[index].deletedAt != nil)
        return index
    }

    func get(_ request: GetMessage, _ user: UserID?) throws(Refused) -> Outcome {
        let channel = try entered(request.channelID, user)
        let index = try living(request.messageID, in: channel, user)
        return .message(seen(index, in: channel, by: user, thread: true, reactions: true))
    }

    /// Returns the index of a message that the caller may change.
    private func own(
        _ id: MessageID, in channel: NaiveChannel, _ user: UserID?, own: Permission, others: Permission
    ) throws(Refused) -> Int {
        let index = try living(id, in: channel, user)
        if channel.messages[index].sender == user {
            try need(own, user, in: channel)
        } else {
            try need(others, user, in: channel, usually: 1007)
        }
        return index
    }

    mutating func update(
        _ request: UpdateMessage, _ user: UserID?, as replacement: String? = nil
    ) throws(Refused) -> Outcome {
        var request = request
        request.text = replacement ?? request.text
        var channel = try voiced(request.channelID, user)
        try checkKeeps(channel)
        let index = try own(request.messageID, in: channel, user, own: .editOwn, others: .editAny)
        try refuse(1032, when: request.text == "")
        if request.mentionType == .channel, channel.messages[index].content.mentions != .everyone {
            try need(.mentionChannel, user, in: channel)
        }
        let old = channel.messages[index].content
        var new = NaiveMessage.Content(
            text: try request.text.map { text throws(Refused) in try checked(text, by: user) } ?? old.text,
            customType: changed(old.customType, request.customType),
            data: changed(old.data, request.data), mentions: old.mentions)
        if request.mentionType != nil || request.mentionedUserIDs != nil {
            new.mentions = reachable(try mentioned(request.mentionType, request.mentionedUserIDs), by: user)
        }
        if new != old {
            channel.messages[index].content = new
            channel.messages[index].updatedAt = now
            tellUpdate(index, in: channel)
        }
        channels[channel.id] = channel
        return .message(seen(index, in: channel, by: user, reactions: true))
    }

    mutating func delete(_ request: DeleteMessage, _ user: UserID?) throws(Refused) -> Outcome {
        var channel = try enteredUnlessBanned(request.channelID, user)
        try checkKeeps(channel)
        let index = try own(request.messageID, in: channel, user, own: .deleteOwn, others: .deleteAny)
        // Authors can retract their own content without a voice.
        if channel.messages[index].sender != user { try checkVoice(of: user, in: channel) }
        try refuse(1021, when: !channel.replies(to: request.messageID).isEmpty)
        channel.messages[index].deletedAt = now
        channels[channel.id] = channel
        tellDeletion(index, in: channel)
        return .message(seen(index, in: channel, by: user))
    }
}
