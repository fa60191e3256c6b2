import ChatModel

extension NaiveChat {
    /// Whatever was said so far is gone for this member alone.
    mutating func reset(_ id: ChannelID, _ user: UserID?) throws(Refused) -> Outcome {
        let user = try person(user)
        var channel = try entered(id, user)
        channel.joined[user]?.hidden = channel.messages.count
        channels[id] = channel
        return .channel(seen(channel, by: user))
    }

    mutating func hide(_ request: HideChannel, _ user: UserID?) throws(Refused) -> Outcome {
        let user = try person(user)
        var channel = try entered(request.channelID, user)
        channel.joined[user]?.away =
            request.allowAutoUnhide == false ? .hiddenPreventAutoUnhide : .hiddenAllowAutoUnhide
        if request.hidePreviousMessages == true { channel.joined[user]?.hidden = channel.messages.count }
        channels[channel.id] = channel
        return .channel(seen(channel, by: user))
    }

    mutating func unhide(_ id: ChannelID, _ user: UserID?) throws(Refused) -> Outcome {
        let user = try person(user)
        var channel = try entered(id, user)
        channel.joined[user]?.away = .unhidden
        channels[id] = channel
        return .channel(seen(channel, by: user))
    }

    /// What a new message of someone else does.
    func bringBack(_ channel: inout NaiveChannel, sender: UserID?) {
        for (user, member) in channel.joined where user != sender && member.away == .hiddenAllowAutoUnhide {
            channel.joined[user]?.away = .unhidden
        }
    }
}
