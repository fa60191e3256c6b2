import ChatModel

extension CreateReport: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let key = try key(in: state, context)
        try FieldChecks.bytes(description, "description", atMost: FieldLimits.descriptionBytes)
        guard state.reports.report(key) == nil else { return Decision([]) }
        return Decision([
            .reportCreated(
                Event.ReportCreated(
                    id: context.freshID, category: category, description: description, target: key.target, by: key.by,
                    replaced: state.reports.reportToReplace(for: key.by)))
        ])
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> Response {
        guard let report = state.reports.report(try key(in: state, context)) else { throw Rejection(.notFound) }
        return Response(report: report)
    }

    private func key(in state: ChatState, _ context: Context) throws(Rejection) -> ReportList.Key {
        let reporter = try state.actingUser(context)
        return ReportList.Key(by: reporter.id, target: try target(in: state, context.caller), category: category)
    }

    /// Returns the reported object, which the caller must be able to see.
    private func target(in state: ChatState, _ caller: Caller) throws(Rejection) -> ReportTarget {
        switch (channelID, userID, messageID) {
        case (let channel?, nil, nil): return .channel(try state.visibleChannel(channel, to: caller).id)
        case (nil, let user?, nil): return .user(try state.user(user).id)
        case (let channel?, let user?, nil):
            return .member(try state.visibleChannel(channel, to: caller).id, try state.user(user).id)
        case (let id?, nil, let message?):
            let channel = try state.visibleChannel(id, to: caller)
            guard let reporter = caller.user, channel.members[reporter] != nil else {
                throw Rejection(.notFound, "message")
            }
            guard try !channel.visibleMessage(message, to: caller).isDeleted else {
                throw Rejection(.notFound, "message")
            }
            return .message(channel.id, message)
        default: throw Rejection(.badRequest, "channel_id, user_id, both, or channel_id with message_id is required")
        }
    }
}

extension ListReports: Query {
    package func answer(from state: ChatState, _ context: Context) throws(Rejection) -> Response {
        try FieldChecks.size(limit, "limit", 1...FieldLimits.pageSize)
        var hash = StableHash()
        hash.combine(Self.method)
        if let state = self.state { hash.combine(state.rawValue) }
        let all = state.reports.places(in: self.state)
        var end = all.count
        // The token contains the last report of the previous page; later reports follow it in the list.
        if let next { end = ReportList.index(of: try ReportPlace(token: next, filterHash: hash.value), in: all) }
        let places = all[max(0, end - (limit ?? FieldLimits.defaultPageSize))..<end]
        return Response(
            reports: places.reversed().compactMap { state.reports[$0.id] },
            next: places.startIndex > 0 ? places.first?.token(filterHash: hash.value) : nil)
    }
}
