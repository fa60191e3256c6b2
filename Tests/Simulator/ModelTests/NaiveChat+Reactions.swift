import ChatModel

extension NaiveChat {
    mutating func react(
        _ id: ChannelID, _ messageID: MessageID, _ key: String, _ isAdded: Bool, _ user: UserID?
    ) throws(Refused) -> Outcome {
        let user = try person(user)
        var channel = try voiced(id, user)
        try need(.react, user, in: channel)
        try refuse(1018, when: !rules.reactions || (channel.isSuper && !rules.reactionsInSuperChannels))
        try checkKeeps(channel)
        let index = try living(messageID, in: channel, user)
        try refuse(1024, when: channel.messages[index].isAdmin)
        let isThere = channel.messages[index].reactions.keys.contains { $0.key == key && $0.users.contains(user) }
        try refuse(1034, when: !emojis.contains(key) && (isAdded || !isThere))
        if isThere != isAdded {
            channel.messages[index].toggles.append(
                NaiveMessage.Toggle(key: key, user: user, isAdded: isAdded, at: now))
            channels[id] = channel
        }
        let reactions = channel.messages[index].reactions
        let now = reactions.keys.first { $0.key == key }
        let outcome = Outcome.reaction(
            messageID, key: key, isAdded: isAdded, by: user, count: now?.users.count ?? 0,
            updatedAt: now?.updatedAt ?? reactions.updatedAt)
        if isThere != isAdded { tellReaction(outcome, on: index, in: channel) }
        return outcome
    }

    func reactors(_ request: ListReactionUsers, _ user: UserID?) throws(Refused) -> Outcome {
        let channel = try entered(request.channelID, user)
        let index = try living(request.messageID, in: channel, user)
        let users = channel.messages[index].reactions.keys.first { $0.key == request.key }?.users ?? []
        try refuse(1034, when: users.isEmpty && !emojis.contains(request.key))
        let page = try page(of: users, request.limit)
        return .users(page.items, isLast: page.isLast)
    }
}
