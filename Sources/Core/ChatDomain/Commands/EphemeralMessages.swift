import ChatModel

extension SendMessage {
    /// Returns the message of an ephemeral channel, which is not part of any event (`CH5`). Further calls in the same
    /// command's context return the same message.
    ///
    /// - Parameter text: The text after the rules.
    func ephemeralMessage(
        in channel: ChannelState, _ text: String, _ state: ChatState, _ context: Context
    ) throws(Rejection) -> Message {
        let kind = try allowedKind(context.caller)
        let mentions = state.reachable(
            try state.requestedMentions(mentionType, mentionedUserIDs), by: context.caller)
        let extras = try checkedExtras(kind, in: state, context)
        let sent = Event.MessageSent(
            channel: channelID, id: context.freshID, kind: kind, text: text, sender: context.caller.user,
            clientID: clientID, parent: nil, replyToChannel: false, customType: customType, data: data,
            mentions: mentions, extras: extras)
        var message = state.view(of: StoredMessage(sent, offset: 0, at: context.now), in: channel, visibleFrom: 0)
        // No stored message records the allowed thumbnails, so the image itself is used.
        for index in message.files?.indices ?? 0..<0 { message.files?[index].useOriginalAsThumbnails() }
        return message
    }
}

extension MessageFile {
    fileprivate mutating func useOriginalAsThumbnails() {
        thumbnails = thumbnails?.map { Thumbnail(maxWidth: $0.maxWidth, maxHeight: $0.maxHeight, url: url) }
    }
}

extension ChatState {
    /// Returns the effects of messages that are not stored.
    package func effects(of messages: [Message], _ context: Context) -> [Effect] {
        messages.map { message in
            .deliver(
                TypedEvent(type: .messageNew, at: context.now, by: context.caller.user, message: message),
                to: .channel(message.channelID))
        }
    }
}

extension ChannelState {
    /// Refuses commands that require a stored message, such as replies, changes, reactions and read markers.
    func checkKeepsMessages(_ detail: String? = nil) throws(Rejection) {
        if isEphemeral { throw Rejection(.ephemeralChannel, detail) }
    }
}
