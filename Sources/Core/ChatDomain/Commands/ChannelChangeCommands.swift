import ChatModel

extension UpdateChannel: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let channel = try state.governedChannel(channelID, .changeChannel, context)
        try checkFields()
        let isDistinct = channel.distinctKey != nil
        if self.isDistinct == true, !isDistinct {
            throw Rejection(.invalidValue, "is_distinct: can only be changed to false")
        }
        if let isEphemeral, isEphemeral != channel.isEphemeral {
            throw Rejection(.invalidValue, "is_ephemeral: cannot be changed")
        }
        try checkSuper(channel, context)
        if slowModeSeconds ?? 0 > 0 { try channel.checkKeepsMessages("slow_mode_seconds") }
        if messageSeconds ?? 0 > 0 { try channel.checkKeepsMessages("message_seconds") }
        // Otherwise guests whose departures are not yet announced would become members again.
        if isPublic == true, channel.members.departingCount > 0 {
            throw Rejection(
                .tooManyRequests, "guests are still leaving the channel", retryAfterMilliseconds: Self.retryMilliseconds
            )
        }
        let name = try checkedName(in: channel, state, context)
        let update = Event.ChannelUpdated(
            channel: channel.id, name: changed(name, channel.name), coverURL: changed(coverURL, channel.coverURL),
            data: changed(data, channel.data), customType: changed(customType, channel.customType),
            isPublic: isPublic == channel.isPublic ? nil : isPublic,
            isSuper: isSuper == channel.isSuper ? nil : isSuper,
            messageSeconds: messageSeconds == channel.messageSeconds ?? 0 ? nil : messageSeconds,
            slowModeSeconds: slowModeSeconds == channel.slowMode?.seconds ?? 0 ? nil : slowModeSeconds)
        // The custom type is part of the key that identifies the channel.
        let losesClaim = context.settings.distinctByCustomType && update.customType != nil
        var events: [Event] = update.isEmpty ? [] : [.channelUpdated(update)]
        if update.isPublic == false { events += guestsLeaving(channel, context) }
        if isDistinct, self.isDistinct == false || losesClaim { events.append(.distinctEnded(channel.id)) }
        return Decision(events)
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> ChannelResponse {
        try state.answer(channelID, context)
    }

    private func checkFields() throws(Rejection) {
        try FieldChecks.name(name, "name", atMost: FieldLimits.nameCodePoints)
        try FieldChecks.bytes(data, "data", atMost: FieldLimits.dataBytes)
        try FieldChecks.bytes(customType, "custom_type", atMost: FieldLimits.customTypeBytes)
        if coverURL != "" { try FieldChecks.url(coverURL, "cover_url") }
        try FieldChecks.size(messageSeconds, "message_seconds", 0...FieldLimits.expirySeconds.upperBound)
        try FieldChecks.size(slowModeSeconds, "slow_mode_seconds", FieldLimits.slowModeSeconds)
    }

    /// Returns the name after the text rules of the channel's new type, which users need permission for as if they
    /// created the channel. A name that stays is not checked again.
    private func checkedName(
        in channel: ChannelState, _ state: ChatState, _ context: Context
    ) throws(Rejection) -> String? {
        var name = name.flatMap { isSameText($0, channel.name) ? nil : $0 }
        if let customType = changed(customType, channel.customType) {
            if let user = context.caller.user {
                try state.checkMayCreate(user, customType.isEmpty ? nil : customType)
            }
            name = name ?? channel.name
        }
        return try state.checkedUsersName(name, customType: customType ?? channel.customType, context)
    }

    private static let retryMilliseconds: Int64 = 1_000

    /// Removes the guests, who can only be in public channels and never in distinct ones. If there are many, they leave
    /// in later turns, but the caller is charged now.
    private func guestsLeaving(_ channel: ChannelState, _ context: Context) -> [Event] {
        guard channel.members.guestCount <= ChatState.guestsLeavingAtOnce else {
            context.work.charge(channel.members.guestCount * WorkCost.event)
            return []
        }
        return channel.members.guests(atMost: channel.members.guestCount).map { .memberLeft(channel.id, $0) }
    }

    private func checkSuper(_ channel: ChannelState, _ context: Context) throws(Rejection) {
        guard let isSuper, isSuper != channel.isSuper else { return }
        if isSuper, channel.distinctKey != nil, isDistinct != false { throw Rejection(.distinctSuperConflict) }
        guard isSuper || channel.memberCount <= context.settings.membersPerChannel else {
            throw Rejection(.memberLimit, "at most \(context.settings.membersPerChannel) members")
        }
    }

    /// Compares bytes, not canonical equivalence, because texts are stored exactly as sent.
    private func changed(_ new: String?, _ old: String?) -> String? {
        guard let new, !ByteOrder.areEqual(new, old ?? "") else { return nil }
        return new
    }
}

extension SetChannelMetadata: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let channel = try state.governedChannel(channelID, .metadata, context)
        guard !metadata.isEmpty else { throw Rejection(.invalidValue, "metadata: must not be empty") }
        try FieldChecks.metadata(channel.metadata.merging(metadata) { _, new in new })
        let new = metadata.filter { key, value in
            !(channel.metadata[key].map { ByteOrder.areEqual($0, value) } ?? false)
        }
        return Decision(new.isEmpty ? [] : [.metadataSet(channel.id, new)])
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> ChannelResponse {
        try state.answer(channelID, context)
    }
}

extension DeleteChannelMetadata: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let channel = try state.governedChannel(channelID, .metadata, context)
        guard !keys.isEmpty else { throw Rejection(.invalidValue, "keys: must not be empty") }
        guard keys.count <= FieldLimits.metadataKeys else {
            throw Rejection(.tooMany, "keys: at most \(FieldLimits.metadataKeys)")
        }
        let gone = keys.uniqued().filter { channel.metadata[$0] != nil }
        return Decision(gone.isEmpty ? [] : [.metadataDeleted(channel.id, keys: gone)])
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> ChannelResponse {
        try state.answer(channelID, context)
    }
}

extension DeleteChannel: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let channel = try state.governedChannel(channelID, nil, context)
        var events: [Event] = []
        for (user, invitation) in channel.invitations.sorted(by: { $0.key < $1.key }) {
            events.append(.invitationCancelled(channel.id, user, by: invitation.inviter, invitedAt: invitation.at))
        }
        return Decision(events + [.channelDeleted(channel.id)])
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> ChannelResponse {
        guard let deleted = state.lastDeleted, deleted.view.id == channelID else {
            throw Rejection(.notFound, "channel")
        }
        return ChannelResponse(channel: deleted.view)
    }
}
