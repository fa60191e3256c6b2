import ChatModel

extension NaiveChat {
    /// Clears the history sent so far, for this member only.
    mutating func reset(_ id: ChannelID, _ user: UserID?) throws(Refused) -> Outcome {
        let user = try person(user)
        var channel = try entered(id, user)
        if channel.messages.count > channel.hidden(from: user) { tellOneself(.channelHistoryReset, user, channel) }
        channel.joined[user]?.hidden = channel.messages.count
        channels[id] = channel
        return .channel(seen(channel, by: user))
    }

    mutating func hide(_ request: HideChannel, _ user: UserID?) throws(Refused) -> Outcome {
        let user = try person(user)
        var channel = try entered(request.channelID, user)
        let away: HiddenState = request.allowAutoUnhide == false ? .hiddenPreventAutoUnhide : .hiddenAllowAutoUnhide
        let clears = request.hidePreviousMessages == true && channel.messages.count > channel.hidden(from: user)
        if clears || channel.joined[user]?.away != away { tellOneself(.channelHidden, user, channel) }
        channel.joined[user]?.away = away
        if request.hidePreviousMessages == true { channel.joined[user]?.hidden = channel.messages.count }
        channels[channel.id] = channel
        return .channel(seen(channel, by: user))
    }

    mutating func unhide(_ id: ChannelID, _ user: UserID?) throws(Refused) -> Outcome {
        let user = try person(user)
        var channel = try entered(id, user)
        if channel.joined[user]?.away != .unhidden { tellOneself(.channelUnhidden, user, channel) }
        channel.joined[user]?.away = .unhidden
        channels[id] = channel
        return .channel(seen(channel, by: user))
    }

    /// Unhides the channel for everyone but the sender of a new message.
    mutating func bringBack(_ channel: inout NaiveChannel, sender: UserID?) {
        for (user, member) in channel.joined where user != sender && member.away == .hiddenAllowAutoUnhide {
            channel.joined[user]?.away = .unhidden
            tellOneself(.channelUnhidden, user, channel)
        }
    }
}
