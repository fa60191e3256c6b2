import ChatModel
import WireProtocol

extension UpsertUser: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        try FieldChecks.name(nickname, "nickname", atMost: FieldLimits.nicknameCodePoints)
        try FieldChecks.url(profileURL, "profile_url")
        try FieldChecks.metadata(metadata)
        guard state.knows(id) else {
            return Decision([
                .userCreated(
                    Event.UserCreated(
                        id: id, nickname: nickname ?? id.rawValue, profileURL: profileURL, metadata: metadata ?? [:],
                        inboxEpoch: context.freshEpoch))
            ])
        }
        guard nickname != nil || profileURL != nil || metadata != nil else { return Decision([]) }
        return Decision([
            .userUpdated(
                Event.UserUpdated(id: id, nickname: nickname, profileURL: profileURL, metadata: metadata))
        ])
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> UserResponse {
        UserResponse(user: try state.user(id).view(context.presence))
    }
}

extension GetUser: Query {
    package func answer(from state: ChatState, _ context: Context) throws(Rejection) -> UserResponse {
        if let userID { return UserResponse(user: try state.user(userID).view(context.presence)) }
        return UserResponse(user: try state.actingUser(context).view(context.presence))
    }
}

extension UpdatePreferences: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let user = try state.actingUser(context)
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
