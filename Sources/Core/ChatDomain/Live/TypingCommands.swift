import ChatModel

extension StartTyping: Signal {
    package static var isBrief: Bool { true }

    package func carryOut(
        in state: ChatState, _ live: inout LiveState, _ context: Context
    ) throws(Rejection) -> (response: TypingResponse, effects: [Effect]) {
        let (user, channel) = try state.speaker(in: channelID, .send, context)
        guard channel.isSmall(context.settings),
            let end = try live.startTyping(user.id, in: channel.id, at: context.now)
        else { return (TypingResponse(), []) }
        let event = TypedEvent(
            type: .typingStarted, at: context.now, by: user.id,
            typing: Typing(channelID: channel.id, user: user.signature, expiresAt: end))
        let hidden = state.blockLists.list(of: user.id)
        return (TypingResponse(), [.transient([.channel(channel.id)], event, hiddenFrom: hidden)])
    }
}

extension StopTyping: Signal {
    package static var isBrief: Bool { true }

    package func carryOut(
        in state: ChatState, _ live: inout LiveState, _ context: Context
    ) throws(Rejection) -> (response: TypingResponse, effects: [Effect]) {
        let user = try state.actingUser(context)
        let channel = try state.joinedChannel(channelID, by: context.caller, at: context.now)
        guard live.stopTyping(user.id, in: channel.id) else { return (TypingResponse(), []) }
        let effect = state.typingStopped(user.id, in: channel.id, at: context.now, by: user.id)
        return (TypingResponse(), effect.map { [$0] } ?? [])
    }
}

extension ChatState {
    /// - Returns: `nil` if the user is no longer a member; the channel was notified of that.
    func typingStopped(_ user: UserID, in channel: ChannelID, at now: Int64, by caller: UserID?) -> Effect? {
        guard channels[channel]?.members[user] != nil else { return nil }
        let event = TypedEvent(
            type: .typingStopped, at: now, by: caller, typing: Typing(channelID: channel, user: signature(of: user)))
        return .transient([.channel(channel)], event, hiddenFrom: blockLists.list(of: user))
    }

    /// Returns the user's channels that are small enough for transient events, sorted by id.
    func smallChannels(of user: UserID, _ settings: ChatSettings) -> [Room] {
        (users[user]?.channelsInOrder ?? []).compactMap { id -> Room? in
            channels[id].map { $0.isSmall(settings) && isStillMember(user, of: $0) } ?? false ? .channel(id) : nil
        }
    }
}

extension ChannelState {
    /// Returns whether the channel is small enough to receive typing, presence and profile events (`US6`).
    func isSmall(_ settings: ChatSettings) -> Bool { members.count <= settings.presenceMembers }
}
