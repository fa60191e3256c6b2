import ChatModel

// Deleted users: everything at once, where the chat takes several turns.

extension NaiveChat {
    /// The server creates whoever acts with a token (`US1`).
    mutating func signUp(_ user: UserID?) {
        guard let user, !user.isGuest, people[user] == nil else { return }
        people[user] = newcomer(user)
    }

    func newcomer(_ user: UserID) -> Person {
        var person = Person(nickname: user.rawValue)
        person.revokedBefore = erasedBefore[user] ?? 0
        return person
    }

    mutating func erase(_ request: DeleteUser) throws(Refused) -> Outcome {
        let user = request.userID
        try refuse(1000, when: people[user] == nil)
        let alias = UserID.deleted(fresh.low)
        people[user] = Person(nickname: "")
        for id in channels.keys.sorted() {
            erase(user, from: id, deletingMessages: request.deleteMessages ?? false)
            channels[id]?.rename(user, to: alias)
        }
        people[user] = nil
        (appBans[user], appMutes[user], blocked[user]) = (nil, nil, nil)
        for other in blocked.keys { blocked[other]?.removeAll { $0 == user } }
        erasedBefore[user] = now / 1_000 + 1
        return .user(SeenUser(id: alias, nickname: ""))
    }

    private mutating func erase(_ user: UserID, from id: ChannelID, deletingMessages: Bool) {
        guard var channel = channels[id] else { return }
        let hadClaim = channel.claim?.people.contains(user) ?? false
        if channel.joined.removeValue(forKey: user) != nil { tellPerson(.memberLeft, user, channel) }
        if let invitation = channel.invited.removeValue(forKey: user) {
            tellInvitation(.invitationCancelled, of: user, by: invitation.by, channel)
        }
        if hadClaim { endClaim(&channel) }
        for place in channel.messages.indices where channel.messages[place].deletedAt == nil {
            if deletingMessages, channel.messages[place].sender == user {
                channel.messages[place].deletedAt = now
                tellDeletion(place, in: channel)
                continue
            }
            for reacted in channel.messages[place].reactions.keys where reacted.users.contains(user) {
                channel.messages[place].toggles.append(
                    NaiveMessage.Toggle(key: reacted.key, user: user, isAdded: false, at: now))
                let reactions = channel.messages[place].reactions
                let left = reactions.keys.first { $0.key == reacted.key }
                tellReaction(
                    .reaction(
                        channel.messages[place].id, key: reacted.key, isAdded: false, by: user,
                        count: left?.users.count ?? 0, updatedAt: left?.updatedAt ?? reactions.updatedAt),
                    on: place, in: channel)
            }
        }
        channels[id] = channel
    }
}

extension NaiveChannel {
    fileprivate mutating func rename(_ user: UserID, to alias: UserID) {
        (bans[user], mutes[user], lastSent[user]) = (nil, nil, nil)
        for id in bans.keys where bans[id]?.by == user { bans[id]?.by = alias }
        for id in mutes.keys where mutes[id]?.by == user { mutes[id]?.by = alias }
        for id in joined.keys where joined[id]?.by == user { joined[id]?.by = alias }
        for id in invited.keys where invited[id]?.by == user { invited[id]?.by = alias }
        if createdBy == user { createdBy = alias }
        removedClientIDs.removeAll { $0.sender == user }
        for place in messages.indices {
            if messages[place].sender == user {
                messages[place].sender = alias
                messages[place].clientID = nil
            }
            if case .people(let people) = messages[place].content.mentions {
                messages[place].content.mentions = .people(people.map { $0 == user ? alias : $0 })
            }
        }
    }
}
