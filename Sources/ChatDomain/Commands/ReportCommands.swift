import ChatModel
import WireProtocol

extension CreateReport: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let key = try key(in: state, context)
        try FieldChecks.bytes(description, "description", atMost: FieldLimits.descriptionBytes)
        guard state.reports.report(key) == nil else { return Decision([]) }
        guard state.reports.reports.count < FieldLimits.reports else {
            throw Rejection(.tooMany, "reports: \(FieldLimits.reports)")
        }
        guard state.reports.count(by: key.by) < FieldLimits.reportsPerUser else {
            throw Rejection(.tooMany, "reports of one user: \(FieldLimits.reportsPerUser)")
        }
        return Decision([
            .reportCreated(
                Event.ReportCreated(
                    id: context.freshID, category: category, description: description, target: key.target, by: key.by))
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

    /// What one cannot see is not there to be reported.
    private func target(in state: ChatState, _ caller: Caller) throws(Rejection) -> ReportTarget {
        switch (channelID, userID, messageID) {
        case (let channel?, nil, nil): return .channel(try state.visibleChannel(channel, to: caller).id)
        case (nil, let user?, nil): return .user(try state.user(user).id)
        case (let id?, nil, let message?):
            let channel = try state.visibleChannel(id, to: caller)
            guard let reporter = caller.user, channel.members[reporter] != nil else {
                throw Rejection(.notFound, "message")
            }
            guard try !channel.visibleMessage(message, to: caller).isDeleted else {
                throw Rejection(.notFound, "message")
            }
            return .message(channel.id, message)
        default: throw Rejection(.badRequest, "one of channel_id, user_id, or channel_id with message_id")
        }
    }
}

extension ListReports: Query {
    package func answer(from state: ChatState, _ context: Context) throws(Rejection) -> Response {
        try FieldChecks.size(limit, "limit", 1...FieldLimits.pageSize)
        var hash = StableHash()
        hash.combine(Self.method)
        let all = state.reports.reports
        var end = all.count
        // The token holds a place in the list: what came later stands behind it.
        if let next { end = Int(clamping: min(try PageToken(next, filterHash: hash.value).offset, UInt64(all.count))) }
        let start = max(0, end - (limit ?? FieldLimits.defaultPageSize))
        return Response(
            reports: all[start..<end].reversed(),
            next: start > 0 ? PageToken(offset: UInt64(start), filterHash: hash.value).text : nil)
    }
}
