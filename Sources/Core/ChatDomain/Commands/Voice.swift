import ChatModel

// Access checks for actions that others see (`MS9`). Every command whose outcome reaches other people looks up its
// channel with one of these methods; what a muted member may still do (read, mark, hide, leave, delete their own
// messages) uses `joinedChannel`.
extension ChatState {
    /// The channel, if the caller may act in it visibly to others: a member with a voice, or the server.
    func voicedChannel(_ id: ChannelID, _ context: Context) throws(Rejection) -> ChannelState {
        let channel = try joinedChannel(id, by: context.caller, at: context.now)
        try channel.checkVoice(of: context.caller, context)
        return channel
    }

    /// The channel, if the caller may change it: an operator with a voice, or the server. A muted operator may change
    /// nothing, because they could unmute themselves.
    func governedChannel(_ id: ChannelID, _ context: Context) throws(Rejection) -> ChannelState {
        let channel = try operatedChannel(id, by: context.caller, at: context.now)
        try channel.checkVoice(of: context.caller, context)
        return channel
    }

    /// The user who may speak in a channel, and the channel.
    func speaker(
        in id: ChannelID, _ context: Context
    ) throws(Rejection) -> (user: UserState, channel: ChannelState) {
        let user = try actingUser(context)
        return (user, try voicedChannel(id, context))
    }
}

extension ChannelState {
    /// Checks that the caller has a voice: a mute silences operators too, freezing a channel only its other members
    /// (`ME4`, `CH10`). The server always has a voice.
    func checkVoice(of caller: Caller, _ context: Context) throws(Rejection) {
        guard let user = caller.user else { return }
        guard mutes.entry(of: user, at: context.now) == nil else { throw Rejection(.muted) }
        if isFrozen, members[user]?.role != .operator { throw Rejection(.channelFrozen) }
    }
}
