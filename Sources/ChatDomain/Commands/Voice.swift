import ChatModel
import WireProtocol

extension ChatState {
    /// The person who may speak in a channel, and the channel: a member who is neither banned nor without a voice.
    func speaker(
        in id: ChannelID, _ context: Context
    ) throws(Rejection) -> (user: UserState, channel: ChannelState) {
        let user = try actingUser(context)
        let channel = try joinedChannel(id, by: context.caller, at: context.now)
        try channel.checkVoice(of: user.id, context)
        return (user, channel)
    }
}

extension ChannelState {
    /// Whether a member may speak at all: `ME4`, `CH10`.
    func checkVoice(of user: UserID, _ context: Context) throws(Rejection) {
        guard mutes.entry(of: user, at: context.now) == nil else { throw Rejection(.muted) }
        if isFrozen, members[user]?.role != .operator { throw Rejection(.channelFrozen) }
    }
}
