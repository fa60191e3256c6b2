import ChatModel
import WireProtocol

extension HideChannel: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let user = try state.actingUser(context).id
        let channel = try state.joinedChannel(channelID, by: context.caller)
        let wanted: HiddenState = allowAutoUnhide ?? true ? .hiddenAllowAutoUnhide : .hiddenPreventAutoUnhide
        let start = hidePreviousMessages ?? false ? channel.freshStart(for: user) : nil
        // Sent again after a lost answer, it is no second change.
        guard start != nil || channel.hiddenState(of: user) != wanted else { return Decision([]) }
        return Decision([
            .channelHidden(
                Event.ChannelHidden(channel: channelID, user: user, state: wanted, visibleFrom: start))
        ])
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> ChannelResponse {
        try state.answer(channelID, context)
    }
}

extension UnhideChannel: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let user = try state.actingUser(context).id
        let channel = try state.joinedChannel(channelID, by: context.caller)
        guard channel.hiddenState(of: user) != .unhidden else { return Decision([]) }
        return Decision([.channelUnhidden(channelID, user)])
    }
}

extension ResetHistory: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let user = try state.actingUser(context).id
        let channel = try state.joinedChannel(channelID, by: context.caller)
        guard let start = channel.freshStart(for: user) else { return Decision([]) }
        return Decision([.historyReset(channelID, user, visibleFrom: start)])
    }
}

extension ChannelState {
    /// The first offset that a member sees when everything up to now is gone for them; `nil` when there is nothing that
    /// they see.
    fileprivate func freshStart(for user: UserID) -> UInt64? {
        guard let member = members[user], let newest = messages.last, newest.offset >= member.visibleFrom else {
            return nil
        }
        return top + 1
    }

    /// Who gets the channel back by a new message: people who hid it so, other than its sender (`CH11`).
    ///
    /// - Returns: The first by id of those who have not been told. The others have it back as well, and hear of it with the
    ///   next messages.
    func unhiding(by sender: UserID?) -> [Event] {
        autoUnhiders.people(besides: sender).prefix(FieldLimits.unhiddenAtOnce).map { .channelUnhidden(id, $0) }
    }
}
