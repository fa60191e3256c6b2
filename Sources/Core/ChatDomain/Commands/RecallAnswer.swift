import ChatModel

/// Whether a user may receive the answer of one of their earlier commands again; checked before an answer is served
/// from memory.
///
/// Not in the command table. As with every command, deactivated users are refused before this check.
package struct RecallAnswer: Query {
    package struct Response: Codable, Sendable {}
    package static let method = "answer.recall"
    /// The channel that the answer is about; `nil` if it is about none, or contains nothing reserved for members.
    private let channelID: ChannelID?
    /// The message whose content the answer contains.
    private let messageID: MessageID?

    package init(of channelID: ChannelID?, message messageID: MessageID?) {
        self.channelID = channelID
        self.messageID = messageID
    }

    /// - Throws: 1000, 1001, 1002 or 1003 if the caller has left the channel, and 1023 for a message that was deleted.
    package func answer(from state: ChatState, _ context: Context) throws(Rejection) -> Response {
        guard let channelID else { return Response() }
        let channel = try state.joinedChannel(channelID, by: context.caller, at: context.now)
        if let messageID, channel.message(messageID)?.isDeleted ?? false { throw Rejection(.messageDeleted) }
        return Response()
    }
}
