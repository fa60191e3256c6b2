import ChatModel

extension ListMemberModeration: Query {
    package func answer(from state: ChatState, _ context: Context) throws(Rejection) -> Response {
        let channel = try state.operatedChannel(channelID, by: context.caller)
        return try channel.moderationLog.page(
            limit: limit, next: next, [Self.method, channelID.rawValue, channel.epoch], context)
    }
}

extension ListAppModeration: Query {
    package func answer(from state: ChatState, _ context: Context) throws(Rejection) -> Response {
        try state.moderation.log.page(limit: limit, next: next, [Self.method], context)
    }
}

extension ModerationLog {
    /// - Parameter filters: What a token belongs to.
    fileprivate func page(
        limit: Int?, next: String?, _ filters: [String], _ context: Context
    ) throws(Rejection) -> ModerationLogResponse {
        try FieldChecks.size(limit, "limit", 1...FieldLimits.pageSize)
        var hash = StableHash()
        for filter in filters { hash.combine(filter) }
        // The token contains the last entry of the previous page.
        var end = dropped + UInt64(entries.count)
        if let next { end = min(end, try ModerationPlace(token: next, filterHash: hash.value).number) }
        let kept = Int(clamping: end > dropped ? end - dropped : 0)
        let start = max(0, kept - (limit ?? FieldLimits.defaultPageSize))
        context.work.charge((kept - start) * WorkCost.entry)
        let place = ModerationPlace(number: dropped + UInt64(start))
        return ModerationLogResponse(
            entries: entries[start..<kept].reversed(), next: start > 0 ? place.token(filterHash: hash.value) : nil)
    }
}
