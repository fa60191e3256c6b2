import ChatModel
import WireProtocol

/// Whether a user may hear again what one of their commands came to: asked before an answer is given from memory.
///
/// No command of the table. Who is deactivated is refused before it is asked, as with every command.
package struct RecallAnswer: Query {
    package struct Response: Codable, Sendable {}
    package static let method = "answer.recall"
    /// The channel that the answer is about; nil when it is about none, or says nothing that only members know.
    private let channelID: ChannelID?
    /// The message whose content the answer holds.
    private let messageID: MessageID?

    package init(of channelID: ChannelID?, message messageID: MessageID?) {
        self.channelID = channelID
        self.messageID = messageID
    }

    /// - Throws: 1000, 1001, 1002 or 1003 for who is not in the channel any more, and 1023 for a message that was deleted.
    package func answer(from state: ChatState, _ context: Context) throws(Rejection) -> Response {
        guard let channelID else { return Response() }
        let channel = try state.joinedChannel(channelID, by: context.caller, at: context.now)
        if let messageID, channel.message(messageID)?.isDeleted ?? false { throw Rejection(.messageDeleted) }
        return Response()
    }
}
