import ChatModel

// Access checks for actions that others see (`MS9`). Every command that affects other users looks up its channel with
// one of these methods. Commands that muted members can still use (read, mark, hide, leave, delete their own messages)
// use `joinedChannel`.
extension ChatState {
    /// Returns a channel in which the caller can act visibly: as a member who is not silenced, or as the server.
    func voicedChannel(_ id: ChannelID, _ context: Context) throws(Rejection) -> ChannelState {
        let channel = try joinedChannel(id, by: context.caller, at: context.now)
        try checkVoice(in: channel, context)
        return channel
    }

    /// Returns a channel that the caller can change: with this permission and not muted, or as the server. Muted operators
    /// are refused, because they could unmute themselves.
    ///
    /// - Parameter permission: `nil` for what only operators may do, whatever the table of roles says.
    func governedChannel(
        _ id: ChannelID, _ permission: Permission?, _ context: Context
    ) throws(Rejection) -> ChannelState {
        let channel: ChannelState
        if let permission {
            channel = try joinedChannel(id, by: context.caller, at: context.now)
            try check(permission, in: channel, context, usual: .notAnOperator)
        } else {
            channel = try operatedChannel(id, by: context.caller, at: context.now)
        }
        try checkVoice(in: channel, context)
        return channel
    }

    /// Returns a channel in which the caller can send, and the acting user.
    func speaker(
        in id: ChannelID, _ permission: Permission, _ context: Context
    ) throws(Rejection) -> (user: UserState, channel: ChannelState) {
        let user = try actingUser(context)
        let channel = try voicedChannel(id, context)
        try check(permission, in: channel, context)
        return (user, channel)
    }

    /// Checks that the caller is not silenced. A mute, in the channel or in the whole app, also silences operators;
    /// freezing a channel silences only its other members, and a block by the other one a user in a distinct channel of two
    /// (`ME4`, `MO2`, `CH10`, `MO1`). The server is never silenced.
    func checkVoice(in channel: ChannelState, _ context: Context) throws(Rejection) {
        guard let user = context.caller.user else { return }
        try checkUnmuted(user, at: context.now)
        guard channel.mutes.entry(of: user, at: context.now) == nil else { throw Rejection(.muted) }
        if channel.isFrozen, role(of: user, in: channel) < .operator { throw Rejection(.channelFrozen) }
        try checkUnblocked(user, in: channel)
    }

    /// Checks that the user is not muted in the whole app.
    func checkUnmuted(_ user: UserID, at now: Int64) throws(Rejection) {
        guard moderation.mutes.entry(of: user, at: now) == nil else { throw Rejection(.muted, "in the whole app") }
    }
}
