import ChatModel

extension BanUser: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        Decision([.userBanned(try sanction(earlier: state.moderation.bans, state, context))])
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> AppSanctionResponse {
        try state.response(about: userID, in: state.moderation.bans, context)
    }
}

extension MuteUser: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        Decision([.userMuted(try sanction(earlier: state.moderation.mutes, state, context))])
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> AppSanctionResponse {
        try state.response(about: userID, in: state.moderation.mutes, context)
    }
}

extension UnbanUser: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let user = try state.user(userID)
        let isBanned = state.moderation.bans.entry(of: user.id, at: context.now) != nil
        return Decision(isBanned ? [.userUnbanned(user.id)] : [])
    }
}

extension UnmuteUser: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let user = try state.user(userID)
        let isMuted = state.moderation.mutes.entry(of: user.id, at: context.now) != nil
        return Decision(isMuted ? [.userUnmuted(user.id)] : [])
    }
}

extension ListBannedUsers: SlicedQuery {
    func start(in state: ChatState, _ context: Context) throws(Rejection) -> ListProgress<UserID, NameOrder> {
        try sanctionProgress(Self.method, state.moderation.bans, limit, next, context)
    }

    func advance(
        _ progress: inout ListProgress<UserID, NameOrder>, in state: ChatState, _ context: Context
    ) throws(Rejection) -> Response? {
        state.sanctions(&progress, in: state.moderation.bans, context).map { Response(bans: $0, next: $1) }
    }
}

extension ListMutedUsers: SlicedQuery {
    func start(in state: ChatState, _ context: Context) throws(Rejection) -> ListProgress<UserID, NameOrder> {
        try sanctionProgress(Self.method, state.moderation.mutes, limit, next, context)
    }

    func advance(
        _ progress: inout ListProgress<UserID, NameOrder>, in state: ChatState, _ context: Context
    ) throws(Rejection) -> Response? {
        state.sanctions(&progress, in: state.moderation.mutes, context).map { Response(mutes: $0, next: $1) }
    }
}

private func sanctionProgress(
    _ method: String, _ list: SanctionList, _ limit: Int?, _ next: String?, _ context: Context
) throws(Rejection) -> ListProgress<UserID, NameOrder> {
    var hash = StableHash()
    hash.combine(method)
    return ListProgress(
        list.active(at: context.now), try PageCollector(limit: limit, next: next, filterHash: hash.value), context)
}

extension AppSanctionRequest {
    fileprivate func sanction(
        earlier: SanctionList, _ state: ChatState, _ context: Context
    ) throws(Rejection) -> Event.AppSanctioned {
        try FieldChecks.sanction(seconds, description)
        let user = try state.user(userID)
        guard earlier.hasRoom(for: user.id, at: context.now, limit: FieldLimits.sanctionsOfApp) else {
            throw Rejection(.tooMany, "sanctions of the app: at most \(FieldLimits.sanctionsOfApp)")
        }
        return Event.AppSanctioned(
            user: user.id, until: Sanction.end(after: seconds, from: context.now), description: description)
    }
}

extension ChatState {
    fileprivate func response(
        about user: UserID, in list: SanctionList, _ context: Context
    ) throws(Rejection) -> AppSanctionResponse {
        guard let sanction = view(of: user, in: list, context) else { throw Rejection(.notFound, "user \(user)") }
        return AppSanctionResponse(sanction: sanction)
    }
}
