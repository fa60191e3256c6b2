import ChatModel

extension UpsertUser: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        Decision(try event(in: state, context).map { [$0] } ?? [])
    }

    /// - Returns: `nil` if nothing changes.
    fileprivate func event(in state: ChatState, _ context: Context) throws(Rejection) -> Event? {
        try FieldChecks.name(nickname, "nickname", atMost: FieldLimits.nicknameCodePoints)
        try FieldChecks.url(profileURL, "profile_url")
        try FieldChecks.metadata(metadata)
        if let refusal = state.erasureRefusal(of: id) { throw refusal }
        let nickname = try checkedNickname(state, context)
        guard state.knows(id) else {
            guard !id.isGuest else { throw Rejection(.invalidValue, "id: reserved for guests") }
            guard !id.isDeleted else { throw Rejection(.invalidValue, "id: reserved for deleted users") }
            return .userCreated(
                Event.UserCreated(
                    id: id, nickname: nickname ?? id.rawValue, profileURL: profileURL, metadata: metadata ?? [:],
                    inboxEpoch: context.freshEpoch, isAppAdmin: isAppAdmin ?? false))
        }
        guard nickname != nil || profileURL != nil || metadata != nil || isAppAdmin != nil else { return nil }
        if isAppAdmin == true, id.isGuest { throw Rejection(.notForGuests, "user \(id)") }
        return .userUpdated(
            Event.UserUpdated(
                id: id, nickname: nickname, profileURL: profileURL, metadata: metadata, isAppAdmin: isAppAdmin))
    }

    /// Returns the nickname after the text rules, unless the user has it already: apps repeat it with every profile.
    private func checkedNickname(_ state: ChatState, _ context: Context) throws(Rejection) -> String? {
        if let nickname, isSameText(nickname, state.users[id]?.nickname) { return nickname }
        return try state.checkedName(nickname, customType: nil, context)
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> UserResponse {
        UserResponse(user: try state.user(id).view(context.presence))
    }
}

extension UpsertUsers: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        guard !users.isEmpty else { throw Rejection(.invalidValue, "users: must not be empty") }
        guard users.count <= FieldLimits.usersPerUpsert else {
            throw Rejection(.tooMany, "users: at most \(FieldLimits.usersPerUpsert)")
        }
        var named: Set<UserID> = []
        var events: [Event] = []
        for (index, user) in users.enumerated() {
            // It would be unclear which one applies.
            guard named.insert(user.id).inserted else { throw Rejection(.invalidValue, "users[\(index)]: given twice") }
            do throws(Rejection) {
                if let event = try user.event(in: state, context) { events.append(event) }
            } catch {
                throw Rejection(error.code, "users[\(index)]" + (error.detail.map { ": " + $0 } ?? ""))
            }
        }
        let channels = users.reduce(0) { $0 + (state.users[$1.id].map(state.channelCount) ?? 0) }
        guard users.count == 1 || channels <= FieldLimits.channelsOfUpsertedUsers else {
            throw Rejection(.tooMany, "channels of all users: at most \(FieldLimits.channelsOfUpsertedUsers)")
        }
        return Decision(events)
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> Response {
        var views: [User] = []
        for user in users { views.append(try state.user(user.id).view(context.presence)) }
        return Response(users: AnswerBudget.fitting(views, context))
    }
}

extension GetUser: Query {
    package func answer(from state: ChatState, _ context: Context) throws(Rejection) -> UserResponse {
        if let userID { return UserResponse(user: state.view(of: try state.user(userID), context)) }
        return UserResponse(user: try state.actingUser(context).view(context.presence))
    }
}

extension UpdatePreferences: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let user = try state.actingUser(context)
        // An open invitation could still exist when the channel is no longer public.
        guard !user.id.isGuest else { throw Rejection(.notForGuests) }
        var events: [Event] = []
        if let wanted = autoAcceptInvitations, wanted != user.autoAcceptInvitations {
            events.append(.preferencesChanged(user.id, autoAcceptInvitations: wanted))
        }
        if let push, push != user.push { events.append(.pushPreferenceChanged(user.id, push)) }
        return Decision(events)
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> Response {
        let user = try state.actingUser(context)
        return Response(autoAcceptInvitations: user.autoAcceptInvitations, push: user.push)
    }
}

/// Creates its caller, and nothing else. Not in the command table: a node of a cluster sends it to the node that decides
/// before a new user's first read (`US1`).
package struct AdmitUser: Change {
    package struct Response: Codable, Sendable {}
    package static let method = "user.admit"

    package init() {}

    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision { Decision([]) }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> Response { Response() }
}
