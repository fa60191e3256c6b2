import ChatModel

extension CreateChannel: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        try checkFields()
        // Guests can neither be in private channels nor be operators.
        if context.caller.user?.isGuest ?? false { throw Rejection(.notForGuests) }
        if context.caller.user != nil, !context.settings.usersCreateChannels { throw Rejection(.creationDisabled) }
        if let user = context.caller.user { try state.checkMayCreate(user, customType) }
        if let user = context.caller.user { try state.checkUnmuted(user, at: context.now) }
        try checkMayChooseID(context)
        let isSuper = isSuper ?? false
        if isSuper, isDistinct ?? false { throw Rejection(.distinctSuperConflict) }
        let others = try people(in: state, context)
        let operators = Set(operatorUserIDs ?? [])
        let role: (UserID) -> MemberRole = { operators.contains($0) ? .operator : .member }
        let key = distinctKey(context)
        if let key, state.distinctChannels[key] != nil { return Decision([]) }
        for user in others {
            if let refusal = state.refusal(of: user.id) { throw refusal }
            if let refusal = state.blockRefusal(of: user.id, by: context.caller.user) { throw refusal }
            // A distinct channel belongs to the same users permanently, but guests are temporary.
            let isOpen = isPublic ?? false && !(isDistinct ?? false)
            if let refusal = state.guestRefusal(of: user.id, isPublic: isOpen, as: role(user.id)) { throw refusal }
        }
        let id = channelID(context)
        // A reserved id is refused like an existing one, so that users cannot probe for channels they cannot see.
        guard state.channels[id] == nil, !state.imports.hides(id), !isReserved(context) else {
            throw Rejection(.duplicateChannelID)
        }
        let limit = isSuper ? context.settings.membersPerSuperChannel : context.settings.membersPerChannel
        guard others.count + (context.caller.user == nil ? 0 : 1) <= limit else {
            throw Rejection(.memberLimit, "at most \(limit) members")
        }
        if let creator = context.caller.user {
            let user = try state.user(creator)
            guard state.channelCount(of: user) < user.channelLimit(context.settings) else {
                throw Rejection(.channelLimit)
            }
            guard state.channelsCreated(by: creator) < context.settings.channelsPerCreator else {
                throw Rejection(.tooMany, "channels of one creator: at most \(context.settings.channelsPerCreator)")
            }
        }
        var admission = Admission(toNew: id, by: context.caller.user, memberLimit: limit, state, context)
        for user in others { admission.admit(user, as: role(user.id)) }
        let name = try state.checkedUsersName(name, customType: customType, context)
        let created = Event.ChannelCreated(
            id: id, epoch: context.freshEpoch, name: name ?? "", isPublic: isPublic ?? false, isSuper: isSuper,
            isEphemeral: isEphemeral ?? false,
            // A user at their limit was not added, so the key would not match the members.
            distinctKey: admission.count == others.count ? key : nil, coverURL: coverURL, data: data,
            customType: customType, metadata: metadata ?? [:],
            creator: context.caller.user, creatorRole: context.caller.user.map(role) ?? .member)
        return Decision([.channelCreated(created)] + admission.events)
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> Response {
        let id =
            records.isEmpty
            ? distinctKey(context).flatMap { state.distinctChannels[$0] } ?? channelID(context) : channelID(context)
        guard let channel = state.channels[id] else { throw Rejection(.notFound, "channel") }
        return Response(
            channel: state.view(of: channel, for: context.caller.user, at: context.now), created: !records.isEmpty)
    }

    private func checkFields() throws(Rejection) {
        try FieldChecks.name(name, "name", atMost: FieldLimits.nameCodePoints)
        try FieldChecks.bytes(data, "data", atMost: FieldLimits.dataBytes)
        try FieldChecks.bytes(customType, "custom_type", atMost: FieldLimits.customTypeBytes)
        try FieldChecks.url(coverURL, "cover_url")
        try FieldChecks.metadata(metadata)
        guard (userIDs?.count ?? 0) + (operatorUserIDs?.count ?? 0) <= FieldLimits.idsPerCommand else {
            throw Rejection(.tooMany, "user_ids and operator_user_ids: at most \(FieldLimits.idsPerCommand)")
        }
    }

    /// Enforces `chat.user_channel_ids`, which can forbid users to choose ids, or the server to use ids reserved for
    /// users.
    private func checkMayChooseID(_ context: Context) throws(Rejection) {
        guard let id else { return }
        switch (context.settings.userChannelIDs, context.caller) {
        case (.off, .user): throw Rejection(.invalidValue, "id: not accepted from users (chat.user_channel_ids)")
        case (.prefix, .server) where id.isUserChosen:
            throw Rejection(.invalidValue, "id: must not begin with ~, which is reserved for users")
        default: return
        }
    }

    private func isReserved(_ context: Context) -> Bool {
        guard let id, context.caller.user != nil, context.settings.userChannelIDs == .prefix else { return false }
        return !id.isUserChosen
    }

    private func channelID(_ context: Context) -> ChannelID {
        id ?? context.freshChannelID
    }

    /// Returns all users named in the request, including operators, except the creator (`CH6`).
    private func people(in state: ChatState, _ context: Context) throws(Rejection) -> [UserState] {
        var people: [UserState] = []
        for id in ((userIDs ?? []) + (operatorUserIDs ?? [])).uniqued() where id != context.caller.user {
            people.append(try state.user(id))
        }
        return people
    }

    private func distinctKey(_ context: Context) -> DistinctKey? {
        guard isDistinct ?? false else { return nil }
        var members = Set((userIDs ?? []) + (operatorUserIDs ?? []))
        if let creator = context.caller.user { members.insert(creator) }
        return DistinctKey(members: members, customType: context.settings.distinctByCustomType ? customType : nil)
    }
}

extension ChannelID {
    /// Whether the id has the prefix that marks users' ids if `chat.user_channel_ids` is `prefix`.
    fileprivate var isUserChosen: Bool { rawValue.utf8.first == UInt8(ascii: "~") }
}

extension Context {
    /// The id of a new channel if the caller does not choose one.
    var freshChannelID: ChannelID {
        guard let id = ChannelID("c-" + freshID.description) else { preconditionFailure("a UUID is a channel id") }
        return id
    }
}
