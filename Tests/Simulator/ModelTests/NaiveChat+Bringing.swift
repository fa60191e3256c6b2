import ChatDomain
import ChatModel

// Bulk commands of the app's backend: many users, many channels, and members added without being asked.

extension NaiveChat {
    mutating func upsert(_ request: UpsertUsers) throws(Refused) -> Outcome {
        try refuse(1032, when: request.users.isEmpty)
        var copy = self
        var named: [UserID] = []
        for user in request.users {
            try refuse(1032, when: named.contains(user.id))
            named.append(user.id)
            _ = try copy.upsert(user)
        }
        people = copy.people
        return .people(named.map { seen($0, inFull: true) }, isLast: true)
    }

    mutating func revoke(_ request: RevokeTokens) throws(Refused) -> Outcome {
        try refuse(1000, when: people[request.userID] == nil)
        let second = request.before ?? now / 1_000
        try refuse(1032, when: second < 0 || second > now / 1_000 + 60)
        let last = max(second, people[request.userID]?.revokedBefore ?? 0)
        people[request.userID]?.revokedBefore = last
        return .revoked(seen(request.userID, inFull: true), before: last)
    }

    mutating func add(_ request: AddMembers) throws(Refused) -> Outcome {
        try refuse(1032, when: request.userIDs.isEmpty)
        var channel = try entered(request.channelID, nil)
        var joined: [UserID] = []
        var refused: [Outcome.Refusal] = []
        let (before, others) = (channel, told)
        told = [:]
        var done: [UserID] = []
        for id in request.userIDs where !done.contains(id) {
            done.append(id)
            let isFull = !channel.isThere(id) && channel.size >= limit(of: channel)
            if let code = reasonAgainst(id, in: channel, as: .member) ?? (isFull ? 1014 : nil) {
                refused.append(Outcome.Refusal(user: id, code: code))
            } else if channel.joined[id] != nil {
                refused.append(Outcome.Refusal(user: id, code: 1010))
            } else {
                if !channel.isThere(id) { channel.claim = nil }
                put(id, as: .member, into: &channel)
                joined.append(id)
            }
        }
        tellAhead(before.claim != nil && channel.claim == nil ? [.channelUpdated] : [], others, before)
        channels[channel.id] = channel
        return .added(seen(channel, by: nil), joined: joined, refused: refused)
    }

    mutating func upsert(_ request: UpsertChannels) throws(Refused) -> Outcome {
        try refuse(1032, when: request.channels.isEmpty)
        try refuse(1032, when: Set(request.channels.map(\.id)).count < request.channels.count)
        var (taken, created, refused): ([ChannelID], [ChannelID], [Outcome.ChannelRefusal]) = ([], [], [])
        for wanted in request.channels {
            var copy = self
            do throws(Refused) {
                try copy.bring(wanted)
                if channels[wanted.id] == nil { created.append(wanted.id) }
                taken.append(wanted.id)
                self = copy
            } catch {
                refused.append(Outcome.ChannelRefusal(channel: wanted.id, code: error.code))
            }
        }
        return .brought(
            taken.compactMap { channels[$0] }.map { seen($0, by: nil) }, created: created, refused: refused)
    }

    private mutating func bring(_ wanted: ChannelUpsert) throws(Refused) {
        let isNew = channels[wanted.id] == nil
        if channels[wanted.id]?.createdBy != nil {
            try refuse(1015, when: wanted.takeOver != true)
            takeOver(wanted.id, keeping: wanted.operatorUserIDs ?? [])
        }
        var channel = channels[wanted.id] ?? NaiveChannel(id: wanted.id, createdAt: now, createdBy: nil)
        let old = channel
        channel.isPublic = wanted.isPublic ?? channel.isPublic
        channel.isSuper = wanted.isSuper ?? channel.isSuper
        var named: [UserID] = []
        for id in (wanted.userIDs ?? []) + (wanted.operatorUserIDs ?? []) where !named.contains(id) { named.append(id) }
        func role(_ id: UserID) -> MemberRole { wanted.operatorUserIDs?.contains(id) == true ? .operator : .member }
        for id in named { if let code = reasonAgainst(id, in: channel, as: role(id)) { throw Refused(code: code) } }
        let newcomers = named.filter { !channel.isThere($0) }
        try refuse(1014, when: !newcomers.isEmpty && channel.size + newcomers.count > limit(of: channel))
        // Each item is checked like a separate creation or change.
        if isNew {
            _ = try create(
                CreateChannel(
                    id: wanted.id, name: wanted.name, isPublic: wanted.isPublic, isSuper: wanted.isSuper,
                    coverURL: wanted.coverURL.flatMap { $0.isEmpty ? nil : $0 },
                    data: wanted.data.flatMap { $0.isEmpty ? nil : $0 },
                    customType: wanted.customType.flatMap { $0.isEmpty ? nil : $0 }, metadata: wanted.metadata,
                    isEphemeral: wanted.isEphemeral), nil)
        } else {
            try refuse(1032, when: wanted.isEphemeral.map { $0 != old.isEphemeral } ?? false)
            _ = try update(
                UpdateChannel(
                    channelID: wanted.id, name: wanted.name, coverURL: wanted.coverURL, data: wanted.data,
                    customType: wanted.customType, isPublic: wanted.isPublic, isSuper: wanted.isSuper), nil)
            if let metadata = wanted.metadata, !metadata.isEmpty {
                _ = try setMetadata(SetChannelMetadata(channelID: wanted.id, metadata: metadata), nil)
            }
        }
        guard var channel = channels[wanted.id] else { return }
        if !newcomers.isEmpty { endClaim(&channel) }
        for id in named {
            if channel.joined[id] == nil {
                put(id, as: role(id), into: &channel)
            } else if role(id) == .operator, channel.joined[id]?.role != .operator {
                channel.joined[id]?.role = .operator
                tellPerson(.operatorAdded, id, channel)
            }
        }
        channels[wanted.id] = channel
    }

    /// Takes over a channel: its creator and all operators not named by the app lose their roles.
    private mutating func takeOver(_ id: ChannelID, keeping named: [UserID]) {
        guard var channel = channels[id] else { return }
        channel.createdBy = nil
        tellChannel(.channelUpdated, channel)
        for user in people.keys.sorted() where channel.role(of: user) == .operator && !named.contains(user) {
            channel.joined[user]?.role = .member
            channel.invited[user]?.role = .member
            tellPerson(.operatorRemoved, user, channel)
        }
        channels[id] = channel
    }

    /// Returns why a user cannot be added to a channel; `nil` if possible, or for a member.
    private func reasonAgainst(_ id: UserID, in channel: NaiveChannel, as role: MemberRole) -> Int? {
        guard let person = people[id] else { return 1000 }
        if !person.isActive { return 1008 }
        if id.isGuest, !channel.isPublic || role == .operator { return 1026 }
        if channel.joined[id] != nil { return nil }
        if inForce(channel.bans[id]) != nil { return 1003 }
        return isAtMaximum(id) ? 1013 : nil
    }

    private mutating func put(_ id: UserID, as role: MemberRole, into channel: inout NaiveChannel) {
        let invitation = channel.invited[id]
        if let invitation { tellInvitation(.invitationAccepted, of: id, by: invitation.by, channel) }
        let isOperator = role == .operator || invitation?.role == .operator
        enter(id, as: isOperator ? .operator : .member, by: invitation?.by, &channel)
    }

    /// Inserts events before those recorded since `earlier` was saved, for the users who were present.
    private mutating func tellAhead(_ types: [EventType], _ earlier: [UserID: Heard], _ before: NaiveChannel) {
        let since = told
        told = earlier
        for type in types { tellChannel(type, before) }
        for (user, heard) in since {
            told[user, default: Heard()].inChannels.merge(heard.inChannels, uniquingKeysWith: +)
            told[user, default: Heard()].inInbox += heard.inInbox
        }
    }

    // MARK: Guests

    mutating func admit(_ request: AdmitGuest) throws(Refused) -> Outcome {
        try checkName(request.nickname, atMost: 80)
        try refuse(100, when: people[request.id] != nil)
        people[request.id] = newcomer(request.id)
        people[request.id]?.nickname = request.nickname ?? "Guest " + request.id.rawValue.dropFirst(6).prefix(4)
        return .user(seen(request.id, inFull: true))
    }
}
