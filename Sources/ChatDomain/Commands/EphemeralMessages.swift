import ChatModel
import WireProtocol

extension SendMessage {
    /// The message of an ephemeral channel, which no event holds (`CH5`): the same whenever it is asked for in the
    /// context of its command.
    func passing(
        in channel: ChannelState, _ state: ChatState, _ context: Context
    ) throws(Rejection) -> Message {
        let kind = try allowedKind(context.caller)
        let mentions = try state.mentions(mentionType, mentionedUserIDs)
        let extras = try checkedExtras(kind, in: state, context)
        let sent = Event.MessageSent(
            channel: channelID, id: context.freshID, kind: kind, text: text ?? "", sender: context.caller.user,
            clientID: clientID, parent: nil, replyToChannel: false, customType: customType, data: data,
            mentions: mentions, extras: extras)
        var message = state.view(of: StoredMessage(sent, offset: 0, at: context.now), in: channel, visibleFrom: 0)
        // No message is kept that says which smaller images there may be: the image stands for them.
        for index in message.files?.indices ?? 0..<0 { message.files?[index].standForThumbnails() }
        return message
    }
}

extension MessageFile {
    fileprivate mutating func standForThumbnails() {
        thumbnails = thumbnails?.map { Thumbnail(maxWidth: $0.maxWidth, maxHeight: $0.maxHeight, url: url) }
    }
}

extension ChatState {
    /// What messages that are written down nowhere mean for those who listen.
    package func effects(of messages: [Message], _ context: Context) -> [Effect] {
        messages.map { message in
            .deliver(
                TypedEvent(type: .messageNew, at: context.now, by: context.caller.user, message: message),
                to: .channel(message.channelID))
        }
    }
}

extension ChannelState {
    /// For all that needs a message to be kept: replies, changes, reactions, marks.
    func checkKeepsMessages(_ detail: String? = nil) throws(Rejection) {
        if isEphemeral { throw Rejection(.ephemeralChannel, detail) }
    }
}
