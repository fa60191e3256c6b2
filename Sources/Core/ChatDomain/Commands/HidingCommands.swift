import ChatModel

extension HideChannel: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let user = try state.actingUser(context).id
        let channel = try state.joinedChannel(channelID, by: context.caller)
        let wanted: HiddenState = allowAutoUnhide ?? true ? .hiddenAllowAutoUnhide : .hiddenPreventAutoUnhide
        let start = hidePreviousMessages ?? false ? channel.resetOffset(for: user) : nil
        // A retry after a lost response changes nothing.
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
        guard let start = channel.resetOffset(for: user) else { return Decision([]) }
        return Decision([.historyReset(channelID, user, visibleFrom: start)])
    }
}

extension ChannelState {
    /// Returns the first offset that stays visible after all existing messages are hidden from a member; `nil` if they
    /// see none.
    fileprivate func resetOffset(for user: UserID) -> UInt64? {
        guard let member = members[user], let newest = messages.last, newest.offset >= member.visibleFrom else {
            return nil
        }
        return top + 1
    }

    /// Returns the events for members for whom a new message unhides the channel, except its sender (`CH11`).
    ///
    /// - Returns: Events for the first members, by id, who have not been notified. The others see the channel again
    ///   too; later messages notify them.
    func unhideEvents(by sender: UserID?) -> [Event] {
        var events: [Event] = []
        for user in autoUnhiders.users(except: sender) where members[user] != nil {
            guard events.count < FieldLimits.unhiddenAtOnce else { break }
            events.append(.channelUnhidden(id, user))
        }
        return events
    }
}
