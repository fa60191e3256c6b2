import ChatModel

extension NaiveChat {
    mutating func setRoles(
        _ id: ChannelID, _ named: [UserID], _ role: MemberRole, _ user: UserID?
    ) throws(Refused) -> Outcome {
        var channel = try governed(id, nil, user)
        try refuse(1032, when: named.isEmpty)
        var once: [UserID] = []
        for id in named where !once.contains(id) { once.append(id) }
        for id in once {
            try refuse(1000, when: people[id] == nil)
            try refuse(1001, when: !channel.isThere(id))
        }
        if role == .operator {
            for id in once {
                try refuse(1008, when: people[id]?.isActive == false)
                try refuse(1026, when: id.isGuest)
            }
        }
        for id in once where channel.role(of: id) != role {
            setRole(role, of: id, &channel)
            tellPerson(role == .operator ? .operatorAdded : .operatorRemoved, id, channel)
        }
        channels[id] = channel
        return .members(once.map { seenMember($0, of: channel) }, isLast: true)
    }

    private func setRole(_ role: MemberRole, of user: UserID, _ channel: inout NaiveChannel) {
        channel.joined[user]?.role = role
        channel.invited[user]?.role = role
    }

    mutating func removeAllOperators(_ id: ChannelID, _ user: UserID?) throws(Refused) -> Outcome {
        var channel = try governed(id, nil, user)
        for member in people.keys.sorted() where channel.role(of: member) == .operator {
            setRole(.member, of: member, &channel)
            tellPerson(.operatorRemoved, member, channel)
        }
        channels[id] = channel
        return .channel(seen(channel, by: user))
    }

    func operators(_ request: ListOperators, _ user: UserID?) throws(Refused) -> Outcome {
        let channel = try entered(request.channelID, user)
        let all = people.keys.filter { channel.role(of: $0) == .operator }.sorted(by: isListedBefore)
        return try page(all, request.limit, of: channel)
    }

    func members(_ request: ListMembers, _ user: UserID?) throws(Refused) -> Outcome {
        let channel = try entered(request.channelID, user)
        var all = people.keys.filter(channel.isThere).sorted(by: isListedBefore)
        if let prefix = request.nicknamePrefix {
            all = all.filter { (people[$0]?.nickname ?? "").lowercased().hasPrefix(prefix.lowercased()) }
        }
        switch request.operatorFilter {
        case .operator: all = all.filter { channel.role(of: $0) == .operator }
        case .nonOperator: all = all.filter { channel.role(of: $0) != .operator }
        case .all, nil: break
        }
        if let muted = request.muted { all = all.filter { (inForce(channel.mutes[$0]) != nil) == muted } }
        if request.order == .operatorThenNickname {
            let (first, others) = (all.filter { channel.role(of: $0) == .operator }, all)
            all = first + others.filter { !first.contains($0) }
        }
        return try page(all, request.limit, of: channel)
    }

    private func page(_ all: [UserID], _ limit: Int?, of channel: NaiveChannel) throws(Refused) -> Outcome {
        let page = try page(of: all, limit)
        return .members(page.items.map { seenMember($0, of: channel) }, isLast: page.isLast)
    }
}

// MARK: Bans and mutes

extension NaiveChat {
    mutating func ban(_ request: BanMember, _ user: UserID?) throws(Refused) -> Outcome {
        var channel = try governed(request.channelID, .ban, user)
        var sanction = try sanction(on: request.userID, request.seconds, request.description, user)
        try checkIsBelow(request.userID, user, channel)
        let isLosing = channel.isThere(request.userID)
        let earlier = inForce(channel.bans[request.userID])
        sanction.isOutsider = !isLosing && earlier?.isOutsider != false
        channel.joined[request.userID] = nil
        if let invitation = channel.invited[request.userID] {
            tellInvitation(.invitationCancelled, of: request.userID, by: invitation.by, channel)
        }
        channel.invited[request.userID] = nil
        if sanction.isOutsider {
            tellMembers(.memberBanned, request.userID, channel)
        } else {
            tellPerson(.memberBanned, request.userID, channel)
        }
        if isLosing { endClaim(&channel) }
        channel.bans[request.userID] = sanction
        channels[channel.id] = channel
        return .member(seenMember(request.userID, of: channel))
    }

    mutating func mute(_ request: MuteMember, _ user: UserID?) throws(Refused) -> Outcome {
        var channel = try governed(request.channelID, .mute, user)
        let sanction = try sanction(on: request.userID, request.seconds, request.description, user)
        try checkIsBelow(request.userID, user, channel)
        try refuse(
            1001, when: !channel.isThere(request.userID) && inForce(channel.mutes[request.userID]) == nil)
        channel.mutes[request.userID] = sanction
        tellPerson(.memberMuted, request.userID, channel)
        channels[channel.id] = channel
        return .member(seenMember(request.userID, of: channel))
    }

    private func sanction(
        on user: UserID, _ seconds: Int64?, _ description: String?, _ actor: UserID?
    ) throws(Refused) -> NaiveChannel.Sanction {
        try refuse(1032, when: seconds.map { $0 < 1 } ?? false)
        try refuse(1000, when: people[user] == nil)
        try refuse(1032, when: user == actor)
        return NaiveChannel.Sanction(
            until: seconds.map { now + $0 * 1_000 } ?? 253_402_300_799_000, description: description, at: now,
            by: actor)
    }

    mutating func lift(
        _ id: ChannelID, _ user: UserID, _ list: WritableKeyPath<NaiveChannel, [UserID: NaiveChannel.Sanction]>,
        _ actor: UserID?
    ) throws(Refused) -> Outcome {
        var channel = try governed(id, list == \.bans ? .ban : .mute, actor)
        try refuse(1000, when: people[user] == nil)
        try checkIsBelow(user, actor, channel)
        if let sanction = inForce(channel[keyPath: list][user]), sanction.isOutsider {
            tellMembers(.memberUnbanned, user, channel)
        } else if inForce(channel[keyPath: list][user]) != nil {
            tellPerson(list == \.bans ? .memberUnbanned : .memberUnmuted, user, channel)
        }
        channel[keyPath: list][user] = nil
        channels[id] = channel
        return .member(seenMember(user, of: channel))
    }

    func sanctions(
        _ id: ChannelID, _ limit: Int?, _ list: KeyPath<NaiveChannel, [UserID: NaiveChannel.Sanction]>,
        _ actor: UserID?
    ) throws(Refused) -> Outcome {
        let channel = try overseen(id, actor)
        return try sanctions(limit, channel[keyPath: list])
    }

    func sanctions(_ limit: Int?, _ list: [UserID: NaiveChannel.Sanction]) throws(Refused) -> Outcome {
        let all = people.keys.filter { inForce(list[$0]) != nil }.sorted(by: isListedBefore)
        let page = try page(of: all.compactMap { seen(list[$0], of: $0) }, limit)
        return .sanctions(page.items, isLast: page.isLast)
    }

    private func seen(_ sanction: NaiveChannel.Sanction?, of user: UserID) -> SeenSanction? {
        sanction.map {
            SeenSanction(user: seen(user), until: $0.until, description: $0.description, at: $0.at, by: $0.by)
        }
    }

    mutating func ban(_ request: BanUser) throws(Refused) -> Outcome {
        let sanction = try sanction(on: request.userID, request.seconds, request.description, nil)
        appBans[request.userID] = sanction
        tellOneself(.userBanned, request.userID)
        return .sanctions([seen(sanction, of: request.userID)].compactMap(\.self), isLast: true)
    }

    mutating func mute(_ request: MuteUser) throws(Refused) -> Outcome {
        let sanction = try sanction(on: request.userID, request.seconds, request.description, nil)
        appMutes[request.userID] = sanction
        tellOneself(.userMuted, request.userID)
        return .sanctions([seen(sanction, of: request.userID)].compactMap(\.self), isLast: true)
    }

    mutating func lift(
        _ user: UserID, _ list: WritableKeyPath<NaiveChat, [UserID: NaiveChannel.Sanction]>
    ) throws(Refused) -> Outcome {
        try refuse(1000, when: people[user] == nil)
        if inForce(self[keyPath: list][user]) != nil {
            tellOneself(list == \.appBans ? .userUnbanned : .userUnmuted, user)
        }
        self[keyPath: list][user] = nil
        return .user(seen(user, inFull: true))
    }

    mutating func remove(_ request: RemoveMember, _ user: UserID?) throws(Refused) -> Outcome {
        var channel = try governed(request.channelID, .remove, user)
        let removed = request.userID
        try refuse(1000, when: people[removed] == nil)
        try refuse(1032, when: removed == user)
        try checkIsBelow(removed, user, channel)
        try refuse(1001, when: !channel.isThere(removed))
        if channel.joined.removeValue(forKey: removed) != nil { tellPerson(.memberLeft, removed, channel) }
        if let invitation = channel.invited.removeValue(forKey: removed) {
            tellInvitation(.invitationCancelled, of: removed, by: invitation.by, channel)
        }
        endClaim(&channel)
        channels[channel.id] = channel
        return .member(seenMember(removed, of: channel))
    }
}
