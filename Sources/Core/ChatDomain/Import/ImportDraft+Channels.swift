import ChatModel

/// Channels and the people in them.
extension ImportDraft {
    mutating func add(_ channel: ImportedChannel) throws(Rejection) {
        let id = channel.id
        // The same line again.
        if knows(id) { return }
        guard state.channels[id] == nil, !state.imports.hides(id) else {
            throw Rejection(.duplicateChannelID, "channel \(id)")
        }
        try FieldChecks.name(channel.name, "channel.name", atMost: FieldLimits.nameCodePoints)
        try FieldChecks.bytes(channel.data, "channel.data", atMost: FieldLimits.dataBytes)
        try FieldChecks.bytes(channel.customType, "channel.custom_type", atMost: FieldLimits.customTypeBytes)
        try FieldChecks.url(channel.coverURL, "channel.cover_url")
        try FieldChecks.metadata(channel.metadata)
        try checkTime(channel.createdAt, "channel.created_at")
        let seconds = channel.messageSeconds ?? 0
        try FieldChecks.size(seconds, "channel.message_seconds", 0...FieldLimits.expirySeconds.upperBound)
        let slowModeSeconds = channel.slowModeSeconds ?? 0
        try FieldChecks.size(slowModeSeconds, "channel.slow_mode_seconds", FieldLimits.slowModeSeconds)
        if let creator = channel.createdBy { try checkKnown(creator) }
        let (isSuper, isDistinct) = (channel.isSuper ?? false, channel.isDistinct ?? false)
        if isSuper, isDistinct { throw Rejection(.distinctSuperConflict) }
        let created = Event.ChannelCreated(
            id: id, epoch: context.freshEpoch, name: channel.name ?? "", isPublic: channel.isPublic ?? false,
            isSuper: isSuper, isEphemeral: channel.isEphemeral ?? false,
            // The members are not known yet; `FinishImport` replaces the key.
            distinctKey: isDistinct ? DistinctKey(members: [], customType: nil) : nil, coverURL: channel.coverURL,
            data: channel.data, customType: channel.customType, metadata: channel.metadata ?? [:],
            creator: channel.createdBy, creatorRole: .member)
        record(.channelCreated(created), at: channel.createdAt, by: channel.createdBy)
        var draft = ChannelDraft(new: created, at: channel.createdAt, context.settings)
        if seconds > 0 || slowModeSeconds > 0 {
            _ = draft.advance()
            let update = Event.ChannelUpdated(
                channel: id, messageSeconds: seconds > 0 ? seconds : nil,
                slowModeSeconds: slowModeSeconds > 0 ? slowModeSeconds : nil)
            record(.channelUpdated(update), at: channel.createdAt)
        }
        if channel.isFrozen ?? false {
            _ = draft.advance()
            record(.channelFrozen(id), at: channel.createdAt)
        }
        set(draft, of: id)
    }

    mutating func add(_ member: ImportedMember, to id: ChannelID) throws(Rejection) {
        var draft = try draft(id)
        let user = member.user.id
        try checkKnown(user)
        guard !user.isGuest else { throw Rejection(.notForGuests, "user \(user)") }
        guard draft.membership(of: user) == .none else { return }
        let (state, role) = (member.state ?? .joined, member.role ?? .member)
        guard state != .none else { throw Rejection(.invalidValue, "member.state: must be joined or invited") }
        if let inviter = member.invitedBy { try checkKnown(inviter) }
        let joinedAt = member.joinedAt ?? draft.createdAt
        try checkTime(joinedAt, "member.joined_at")
        guard draft.memberCount < draft.memberLimit else {
            throw Rejection(.memberLimit, "at most \(draft.memberLimit) members")
        }
        guard role != .operator || draft.operatorCount < FieldLimits.operatorsPerChannel else {
            throw Rejection(.tooMany, "operators: at most \(FieldLimits.operatorsPerChannel)")
        }
        if state == .invited {
            guard draft.invitationCount < FieldLimits.invitationsPerChannel else {
                throw Rejection(
                    .tooMany, "open invitations of the channel: at most \(FieldLimits.invitationsPerChannel)")
            }
            record(.invited(id, user, by: member.invitedBy, role: role), at: joinedAt, by: member.invitedBy)
        } else {
            guard channelCount(of: user) < context.settings.channelsPerUser else {
                throw Rejection(.channelLimit, "user \(user)")
            }
            countMembership(of: user)
            let joined = Event.MemberJoined(
                channel: id, user: user, role: role, invitedBy: member.invitedBy,
                seesHistory: context.settings.historyVisibleToNewcomers)
            record(.memberJoined(joined), at: joinedAt)
        }
        draft.add(user, state, role)
        _ = draft.advance()
        set(draft, of: id)
    }

    /// Adds a ban or mute, unless it is over.
    mutating func addSanction(_ line: ImportLine, to id: ChannelID) throws(Rejection) {
        var draft = try draft(id)
        let user = try Self.required(line.userID, "user_id")
        let until = try Self.required(line.until, "until")
        try checkKnown(user)
        if let by = line.by { try checkKnown(by) }
        try FieldChecks.bytes(line.description, "description", atMost: FieldLimits.descriptionBytes)
        try checkTime(line.at, "at")
        guard until > context.now else { return }
        let isBan = line.type == "ban"
        guard draft.hasRoom(for: user, in: isBan ? \.bans : \.mutes, at: context.now) else {
            throw Rejection(.tooMany, "sanctions of the channel: at most \(FieldLimits.sanctionsPerChannel)")
        }
        if isBan, draft.membership(of: user) != .none {
            throw Rejection(.invalidValue, "user_id: a member or invited user cannot be banned")
        }
        let sanctioned = Event.Sanctioned(
            channel: id, user: user, until: min(until, Sanction.endless), description: line.description)
        record(
            isBan ? .memberBanned(sanctioned) : .memberMuted(sanctioned), at: line.at ?? draft.createdAt, by: line.by)
        _ = draft.advance()
        set(draft, of: id)
    }

    /// Sets a member's read marker: to a message, or before the first one.
    mutating func addMark(_ line: ImportLine, to id: ChannelID) throws(Rejection) {
        var draft = try draft(id)
        let user = try Self.required(line.userID, "user_id")
        guard draft.membership(of: user) == .joined else { throw Rejection(.notAMember, "user \(user)") }
        var mark = Event.ReadMark(channel: id, user: user, upTo: 0)
        if let original = line.messageID {
            mark.upTo = try message(original, "message_id", in: draft).offset
        }
        record(.readMarked(mark), at: context.now, by: user)
        _ = draft.advance()
        set(draft, of: id)
    }
}
