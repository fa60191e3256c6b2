import ChatModel

extension NaiveChat {
    mutating func update(_ request: UpdateChannel, _ user: UserID?) throws(Refused) -> Outcome {
        var channel = try governed(request.channelID, .changeChannel, user)
        try checkName(request.name, atMost: 200)
        if request.coverURL != "" { try checkURL(request.coverURL) }
        try refuse(1032, when: request.messageSeconds.map { $0 < 0 } ?? false)
        try refuse(1032, when: request.slowModeSeconds.map { $0 < 0 } ?? false)
        try refuse(1032, when: request.isDistinct == true && channel.claim == nil)
        if let isSuper = request.isSuper, isSuper != channel.isSuper {
            try refuse(1016, when: isSuper && channel.claim != nil && request.isDistinct != false)
            try refuse(1014, when: !isSuper && channel.size > rules.membersPerChannel)
        }
        try refuse(1025, when: channel.isEphemeral && request.slowModeSeconds ?? 0 > 0)
        try refuse(1025, when: channel.isEphemeral && request.messageSeconds ?? 0 > 0)
        if let type = request.customType, type != channel.customType ?? "" { try checkMayCreate(user, type) }
        let old = channel
        if let seconds = request.messageSeconds { channel.messageSeconds = seconds == 0 ? nil : seconds }
        if let seconds = request.slowModeSeconds {
            channel.slowModeSeconds = seconds == 0 ? nil : seconds
            if seconds == 0 { channel.lastSent = [:] }
        }
        channel.name = request.name ?? channel.name
        channel.coverURL = changed(channel.coverURL, request.coverURL)
        channel.data = changed(channel.data, request.data)
        channel.customType = changed(channel.customType, request.customType)
        channel.isPublic = request.isPublic ?? channel.isPublic
        channel.isSuper = request.isSuper ?? channel.isSuper
        let isChanged =
            channel.name != old.name || channel.coverURL != old.coverURL || channel.data != old.data
            || channel.customType != old.customType || channel.isPublic != old.isPublic
            || channel.isSuper != old.isSuper || channel.messageSeconds != old.messageSeconds
            || channel.slowModeSeconds != old.slowModeSeconds
        if isChanged { tellChannel(.channelUpdated, channel) }
        if old.isPublic, !channel.isPublic {
            for guest in channel.joined.keys.filter(\.isGuest).sorted() {
                channel.joined[guest] = nil
                tellPerson(.memberLeft, guest, channel)
            }
        }
        let losesClaim = rules.distinctByCustomType && channel.customType != old.customType
        if request.isDistinct == false || losesClaim { endClaim(&channel) }
        channels[channel.id] = channel
        return .channel(seen(channel, by: user))
    }

    /// Returns the changed text: an empty one clears it, an absent one changes nothing.
    func changed(_ old: String?, _ new: String?) -> String? {
        guard let new else { return old }
        return new.isEmpty ? nil : new
    }

    mutating func setMetadata(_ request: SetChannelMetadata, _ user: UserID?) throws(Refused) -> Outcome {
        var channel = try governed(request.channelID, .metadata, user)
        try refuse(1032, when: request.metadata.isEmpty || request.metadata[""] != nil)
        let old = channel.metadata
        for (key, value) in request.metadata { channel.metadata[key] = value }
        if channel.metadata != old { tellChannel(.channelUpdated, channel) }
        channels[channel.id] = channel
        return .channel(seen(channel, by: user))
    }

    mutating func deleteMetadata(_ request: DeleteChannelMetadata, _ user: UserID?) throws(Refused) -> Outcome {
        var channel = try governed(request.channelID, .metadata, user)
        try refuse(1032, when: request.keys.isEmpty)
        let old = channel.metadata
        for key in request.keys { channel.metadata[key] = nil }
        if channel.metadata != old { tellChannel(.channelUpdated, channel) }
        channels[channel.id] = channel
        return .channel(seen(channel, by: user))
    }

    mutating func delete(_ id: ChannelID, _ user: UserID?) throws(Refused) -> Outcome {
        var channel = try governed(id, nil, user)
        for (invited, invitation) in channel.invited.sorted(by: { $0.key < $1.key }) {
            tellInvitation(.invitationCancelled, of: invited, by: invitation.by, channel)
        }
        tellChannel(.channelDeleted, channel)
        channel.invited = [:]
        channels[id] = nil
        return .channel(seen(channel, by: nil))
    }

    mutating func freeze(_ id: ChannelID, _ isFrozen: Bool, _ user: UserID?) throws(Refused) -> Outcome {
        var channel = try governed(id, .freeze, user)
        if channel.isFrozen != isFrozen { tellChannel(isFrozen ? .channelFrozen : .channelUnfrozen, channel) }
        channel.isFrozen = isFrozen
        channels[id] = channel
        return .channel(seen(channel, by: user))
    }
}
