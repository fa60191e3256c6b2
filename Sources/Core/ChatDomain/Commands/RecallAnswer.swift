import ChatModel

/// Checks whether a user may still receive the stored response to an earlier command.
///
/// Not in the command table. As with every command, deactivated users are refused before this check.
package struct RecallAnswer: Query {
    package struct Response: Codable, Sendable {}
    package static let method = "answer.recall"
    /// The channel that the response is about; `nil` if there is none, or the response contains nothing reserved for
    /// members.
    private let channelID: ChannelID?
    /// The message whose content the response contains.
    private let messageID: MessageID?

    package init(of channelID: ChannelID?, message messageID: MessageID?) {
        self.channelID = channelID
        self.messageID = messageID
    }

    /// - Throws: 1000, 1001, 1002 or 1003 if the caller has left the channel, and 1023 if the message was deleted.
    package func answer(from state: ChatState, _ context: Context) throws(Rejection) -> Response {
        guard let channelID else { return Response() }
        let channel = try state.joinedChannel(channelID, by: context.caller, at: context.now)
        // Without retention, a message that is missing is one of an ephemeral channel.
        if let messageID, channel.message(messageID)?.isDeleted ?? (channel.firstOffset != nil) {
            throw Rejection(.messageDeleted)
        }
        return Response()
    }
}
