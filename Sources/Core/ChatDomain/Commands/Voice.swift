import ChatModel

// Access checks for actions that others see (`MS9`). Every command that affects other users looks up its channel with
// one of these methods. Commands that muted members can still use (read, mark, hide, leave, delete their own messages)
// use `joinedChannel`.
extension ChatState {
    /// Returns a channel in which the caller can act visibly: as a member who is not silenced, or as the server.
    func voicedChannel(_ id: ChannelID, _ context: Context) throws(Rejection) -> ChannelState {
        let channel = try joinedChannel(id, by: context.caller, at: context.now)
        try channel.checkVoice(of: context.caller, context)
        return channel
    }

    /// Returns a channel that the caller can change: as an operator who is not muted, or as the server. Muted operators
    /// are refused, because they could unmute themselves.
    func governedChannel(_ id: ChannelID, _ context: Context) throws(Rejection) -> ChannelState {
        let channel = try operatedChannel(id, by: context.caller, at: context.now)
        try channel.checkVoice(of: context.caller, context)
        return channel
    }

    /// Returns a channel in which the caller can send, and the acting user.
    func speaker(
        in id: ChannelID, _ context: Context
    ) throws(Rejection) -> (user: UserState, channel: ChannelState) {
        let user = try actingUser(context)
        return (user, try voicedChannel(id, context))
    }
}

extension ChannelState {
    /// Checks that the caller is not silenced. A mute also silences operators; freezing a channel silences only its
    /// other members (`ME4`, `CH10`). The server is never silenced.
    func checkVoice(of caller: Caller, _ context: Context) throws(Rejection) {
        guard let user = caller.user else { return }
        guard mutes.entry(of: user, at: context.now) == nil else { throw Rejection(.muted) }
        if isFrozen, members[user]?.role != .operator { throw Rejection(.channelFrozen) }
    }
}
