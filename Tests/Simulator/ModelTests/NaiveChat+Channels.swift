import ChatModel

extension NaiveChat {
    mutating func create(_ request: CreateChannel, _ user: UserID?) throws(Refused) -> Outcome {
        try checkName(request.name, atMost: 200)
        try checkURL(request.coverURL)
        try refuse(1032, when: request.metadata?[""] != nil)
        try refuse(1026, when: user?.isGuest == true)
        try refuse(1017, when: user != nil && !rules.usersCreateChannels)
        try checkMayCreate(user, request.customType)
        try refuse(1004, when: user.map { inForce(appMutes[$0]) != nil } ?? false)
        let isTheirs = request.id.map { $0.rawValue.hasPrefix("~") }
        switch rules.userChannelIDs {
        case .free: break
        case .prefix: try refuse(1032, when: user == nil && isTheirs == true)
        case .off: try refuse(1032, when: user != nil && isTheirs != nil)
        }
        let isSuper = request.isSuper == true
        try refuse(1016, when: isSuper && request.isDistinct == true)
        var others: [UserID] = []
        for id in (request.userIDs ?? []) + (request.operatorUserIDs ?? []) where id != user && !others.contains(id) {
            others.append(id)
        }
        for id in others { try refuse(1000, when: people[id] == nil) }
        var claim: NaiveChannel.Claim?
        if request.isDistinct == true {
            claim = NaiveChannel.Claim(
                people: Set(others + (user.map { [$0] } ?? [])),
                customType: rules.distinctByCustomType ? request.customType : nil)
            if let found = channels.values.first(where: { $0.claim == claim }) {
                return .created(seen(found, by: user), isNew: false)
            }
        }
        for id in others {
            try refuse(1008, when: people[id]?.isActive == false)
            try refuse(1052, when: isBlocked(user, by: id))
            let isOpen = request.isPublic == true && request.isDistinct != true
            try refuse(1026, when: id.isGuest && (!isOpen || request.operatorUserIDs?.contains(id) == true))
        }
        guard let id = request.id else { return .unknown("the scripts name their channels") }
        try refuse(1015, when: channels[id] != nil)
        try refuse(1015, when: rules.userChannelIDs == .prefix && user != nil && isTheirs == false)
        let limit = isSuper ? rules.membersPerSuperChannel : rules.membersPerChannel
        try refuse(1014, when: others.count + (user == nil ? 0 : 1) > limit)
        if let user {
            try refuse(1013, when: isAtMaximum(user))
            let created = channels.values.filter { $0.createdBy == user }
            try refuse(1031, when: created.count >= rules.channelsPerCreator)
        }
        var channel = NaiveChannel(id: id, createdAt: now, createdBy: user)
        channel.name = request.name ?? ""
        channel.isPublic = request.isPublic == true
        channel.isSuper = isSuper
        channel.isEphemeral = request.isEphemeral == true
        channel.customType = request.customType
        channel.data = request.data
        channel.coverURL = request.coverURL
        channel.metadata = request.metadata ?? [:]
        func role(_ user: UserID) -> MemberRole {
            request.operatorUserIDs?.contains(user) == true ? .operator : .member
        }
        if let user { channel.joined[user] = NaiveChannel.Joined(role: role(user), at: now, by: nil, hidden: 0) }
        tellChannel(.channelCreated, channel)
        for other in others { admit(other, as: role(other), by: user, to: &channel) }
        if others.allSatisfy(channel.isThere) { channel.claim = claim }
        channels[id] = channel
        return .created(seen(channel, by: user), isNew: true)
    }

    /// Admits or invites users, except those at the limit of channels or open invitations.
    private mutating func admit(
        _ user: UserID, as role: MemberRole, by inviter: UserID?, to channel: inout NaiveChannel
    ) {
        guard invitationLimit(user, by: inviter) == nil else {
            return tellInvitation(.invitationCancelled, of: user, by: inviter, channel)
        }
        if people[user]?.acceptsAtOnce == true {
            enter(user, as: role, by: inviter, &channel)
        } else {
            channel.invited[user] = NaiveChannel.Invited(by: inviter, role: role, at: now)
            tellInvitation(.invitationReceived, of: user, by: inviter, channel)
        }
    }

    mutating func enter(_ user: UserID, as role: MemberRole, by inviter: UserID?, _ channel: inout NaiveChannel) {
        channel.invited[user] = nil
        channel.joined[user] = NaiveChannel.Joined(
            role: role, at: now, by: inviter, hidden: rules.hidesHistory ? channel.messages.count : 0,
            present: channel.messages.count, read: channel.messages.count, mostRead: channel.messages.count)
        tellPerson(.memberJoined, user, channel)
    }

    mutating func join(_ id: ChannelID, _ user: UserID?) throws(Refused) -> Outcome {
        let user = try person(user)
        var channel = try visible(id, user)
        try refuse(1010, when: channel.joined[user] != nil)
        if channel.invited[user] != nil { return try accept(id, user) }
        try refuse(1003, when: inForce(channel.bans[user]) != nil)
        try refuse(1013, when: isAtMaximum(user))
        try refuse(1014, when: channel.size >= limit(of: channel))
        enter(user, as: .member, by: nil, &channel)
        endClaim(&channel)
        channels[id] = channel
        return .channel(seen(channel, by: user))
    }

    func limit(of channel: NaiveChannel) -> Int {
        channel.isSuper ? rules.membersPerSuperChannel : rules.membersPerChannel
    }

    mutating func accept(_ id: ChannelID, _ user: UserID?) throws(Refused) -> Outcome {
        let user = try person(user)
        var channel = try visible(id, user)
        try refuse(1010, when: channel.joined[user] != nil)
        guard let invitation = channel.invited[user] else { throw Refused(code: 1012) }
        if isAtMaximum(user) {
            channel.invited[user] = nil
            tellInvitation(.invitationCancelled, of: user, by: invitation.by, channel)
            endClaim(&channel)
            channels[id] = channel
            throw Refused(code: 1013)
        }
        tellInvitation(.invitationAccepted, of: user, by: invitation.by, channel)
        enter(user, as: invitation.role, by: invitation.by, &channel)
        channels[id] = channel
        return .channel(seen(channel, by: user))
    }

    mutating func decline(_ id: ChannelID, _ user: UserID?) throws(Refused) -> Outcome {
        let user = try person(user)
        var channel = try visible(id, user)
        try refuse(1010, when: channel.joined[user] != nil)
        guard let invitation = channel.invited[user] else { throw Refused(code: 1012) }
        channel.invited[user] = nil
        tellInvitation(.invitationDeclined, of: user, by: invitation.by, channel)
        endClaim(&channel)
        channels[id] = channel
        return .channel(seen(channel, by: user))
    }

    mutating func leave(_ id: ChannelID, _ user: UserID?) throws(Refused) -> Outcome {
        let user = try person(user)
        var channel = try entered(id, user)
        channel.joined[user] = nil
        tellPerson(.memberLeft, user, channel)
        endClaim(&channel)
        channels[id] = channel
        return .channel(seen(channel, by: user))
    }

    mutating func invite(_ request: InviteToChannel, _ user: UserID?) throws(Refused) -> Outcome {
        var channel = try voiced(request.channelID, user)
        try need(.invite, user, in: channel)
        try refuse(1032, when: request.userIDs.isEmpty)
        var joined: [UserID] = []
        var invited: [UserID] = []
        var refused: [Outcome.Refusal] = []
        var done: [UserID] = []
        let before = channel
        for id in request.userIDs where !done.contains(id) {
            done.append(id)
            if people[id] == nil {
                refused.append(Outcome.Refusal(user: id, code: 1000))
            } else if people[id]?.isActive == false {
                refused.append(Outcome.Refusal(user: id, code: 1008))
            } else if channel.isThere(id) {
                refused.append(Outcome.Refusal(user: id, code: 1010))
            } else if inForce(channel.bans[id]) != nil {
                refused.append(Outcome.Refusal(user: id, code: 1003))
            } else if isBlocked(user, by: id) {
                refused.append(Outcome.Refusal(user: id, code: 1052))
            } else if id.isGuest, !channel.isPublic {
                refused.append(Outcome.Refusal(user: id, code: 1026))
            } else if channel.size >= limit(of: channel) {
                refused.append(Outcome.Refusal(user: id, code: 1014))
            } else if let limit = invitationLimit(id, by: user) {
                refused.append(Outcome.Refusal(user: id, code: limit))
                tellInvitation(.invitationCancelled, of: id, by: user, channel)
            } else {
                admit(id, as: .member, by: user, to: &channel)
                channel.claim = nil
                if channel.joined[id] != nil { joined.append(id) } else { invited.append(id) }
            }
        }
        channels[channel.id] = channel
        if before.claim != nil, channel.claim == nil {
            // The creation is announced before the members who join.
            for member in before.joined.keys {
                told[member, default: Heard()].inChannels[channel.id, default: []].insert(
                    .channel(.channelUpdated, channel.id), at: 0)
            }
        }
        return .invited(seen(channel, by: user), joined: joined, invited: invited, refused: refused)
    }
}
