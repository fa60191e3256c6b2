import ChatModel

extension UpsertChannels: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        try checkCounts()
        var events: [Event] = []
        // A user may join several of the channels, but only up to their limit.
        var more: [UserID: Int] = [:]
        for channel in channels {
            guard let own = try? channel.events(in: state, context, more: more) else { continue }
            for event in own { event.count(in: &more) }
            events += own
        }
        return Decision(events)
    }

    /// Checks each unchanged channel again, to tell channels that needed no change from refused ones. The check uses
    /// the counts at the time of the decision, so a refused channel is refused again.
    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> Response {
        var response = Response(channels: [], created: [], refused: [])
        var events: [ChannelID: [Event]] = [:]
        var all: [UserID: Int] = [:]
        var changed: Set<ChannelID> = []
        for record in records {
            for case .channel(let id) in record.positions.lazy.map(\.room) { changed.insert(id) }
            if case .channelCreated(let created) = record.event { response.created.append(created.id) }
            guard let channel = record.event.membershipChange?.channel else { continue }
            events[channel, default: []].append(record.event)
            record.event.count(in: &all)
        }
        var more = all.mapValues { -$0 }
        for channel in channels {
            do throws(Rejection) {
                if !changed.contains(channel.id) { _ = try channel.events(in: state, context, more: more) }
                guard let existing = state.channels[channel.id] else { throw Rejection(.notFound, "channel") }
                response.channels.append(state.view(of: existing, for: nil, at: context.now))
            } catch {
                response.refused.append(
                    Refusal(channelID: channel.id, code: error.code.rawValue, message: error.message))
            }
            for event in events[channel.id] ?? [] { event.count(in: &more) }
        }
        response.channels = AnswerBudget.fitting(response.channels, context)
        return response
    }

    private func checkCounts() throws(Rejection) {
        guard !channels.isEmpty else { throw Rejection(.invalidValue, "channels: must not be empty") }
        guard channels.count <= FieldLimits.channelsPerUpsert else {
            throw Rejection(.tooMany, "channels: at most \(FieldLimits.channelsPerUpsert)")
        }
        var named: Set<ChannelID> = []
        for (index, channel) in channels.enumerated() where !named.insert(channel.id).inserted {
            // It would be unclear which one applies.
            throw Rejection(.invalidValue, "channels[\(index)]: given twice")
        }
        let people = channels.reduce(0) { $0 + ($1.userIDs?.count ?? 0) + ($1.operatorUserIDs?.count ?? 0) }
        guard people <= FieldLimits.idsPerCommand else {
            throw Rejection(
                .tooMany, "user_ids and operator_user_ids of all channels: at most \(FieldLimits.idsPerCommand)")
        }
    }
}

extension ChannelUpsert {
    /// Returns the events that bring the channel into the desired state; empty if it needs no change.
    ///
    /// - Parameter more: The number of further channels that users join through this command.
    /// - Throws: The reason for a refusal; the channel is then not changed.
    fileprivate func events(
        in state: ChatState, _ context: Context, more: [UserID: Int]
    ) throws(Rejection) -> [Event] {
        let existing = state.channels[id]
        // Otherwise a user could reserve the id, and later moderate the users whom the app adds.
        let takesOver = existing?.createdBy != nil
        guard !takesOver || takeOver ?? false else {
            throw Rejection(.duplicateChannelID, "a user created the channel; take_over makes it the server's")
        }
        let enrolment = Enrolment(
            channel: id, existing: existing, isPublic: isPublic ?? existing?.isPublic ?? false, state: state,
            context: context, endsRoles: takesOver)
        let people = ((userIDs ?? []) + (operatorUserIDs ?? [])).uniqued()
        let operators = Set(operatorUserIDs ?? [])
        let role: (UserID) -> MemberRole = { operators.contains($0) ? .operator : .member }
        for id in people {
            if let refusal = enrolment.refusal(of: id, as: role(id), more: more[id] ?? 0) { throw refusal }
        }
        let newcomers = people.count { !enrolment.isCounted($0) }
        try checkPlaces(for: newcomers, in: existing, context)
        let kept = takesOver ? [] : existing?.operators ?? []
        // The channel may have more operators from before the limit existed.
        guard operators.isSubset(of: kept) || kept.union(operators).count <= FieldLimits.operatorsPerChannel else {
            throw Rejection(.tooMany, "operators: at most \(FieldLimits.operatorsPerChannel)")
        }
        var events: [Event]
        if existing == nil {
            events = [try creation(in: state, context)]
        } else {
            events = try changes(in: state, context)
        }
        if takesOver, let existing { events = takeoverEvents(existing, operators) + events }
        if newcomers > 0, existing?.distinctKey != nil, !events.contains(.distinctEnded(id)) {
            events.append(.distinctEnded(id))
        }
        return events + people.flatMap { enrolment.events(for: $0, as: role($0)) }
    }

    private func checkPlaces(
        for newcomers: Int, in existing: ChannelState?, _ context: Context
    ) throws(Rejection) {
        let settings = context.settings
        let isSuper = isSuper ?? existing?.isSuper ?? false
        let limit = isSuper ? settings.membersPerSuperChannel : settings.membersPerChannel
        guard newcomers == 0 || (existing?.memberCount ?? 0) + newcomers <= limit else {
            throw Rejection(.memberLimit, "at most \(limit) members")
        }
    }

    private func changes(in state: ChatState, _ context: Context) throws(Rejection) -> [Event] {
        let update = UpdateChannel(
            channelID: id, name: name, coverURL: coverURL, data: data, customType: customType, isPublic: isPublic,
            isSuper: isSuper, isEphemeral: isEphemeral)
        let events = try update.decide(in: state, context).events
        guard let metadata, !metadata.isEmpty else { return events }
        return events + (try SetChannelMetadata(channelID: id, metadata: metadata).decide(in: state, context).events)
    }

    /// Ends all roles except those of listed operators. The state does not record who assigned a role, so roles
    /// assigned by the server end too.
    private func takeoverEvents(_ channel: ChannelState, _ named: Set<UserID>) -> [Event] {
        let former = channel.operators.subtracting(named).sorted()
        return [.channelUpdated(Event.ChannelUpdated(channel: id, isTakenOver: true))]
            + former.map { .operatorRemoved(id, $0) }
    }

    /// Creates only the channel; its members follow.
    private func creation(in state: ChatState, _ context: Context) throws(Rejection) -> Event {
        let create = CreateChannel(
            id: id, name: name, isPublic: isPublic, isSuper: isSuper, coverURL: coverURL == "" ? nil : coverURL,
            data: data == "" ? nil : data, customType: customType == "" ? nil : customType, metadata: metadata,
            isEphemeral: isEphemeral)
        guard let event = try create.decide(in: state, context).events.first else { throw Rejection(.internal) }
        return event
    }
}

extension Event {
    /// The user who joins or leaves a channel through this event.
    fileprivate var membershipChange: (channel: ChannelID, user: UserID, change: Int)? {
        switch self {
        case .memberJoined(let joined): (joined.channel, joined.user, 1)
        case .memberLeft(let channel, let user): (channel, user, -1)
        default: nil
        }
    }

    fileprivate func count(in channels: inout [UserID: Int]) {
        if let (_, user, change) = membershipChange { channels[user, default: 0] += change }
    }
}
