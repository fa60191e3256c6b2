import ChatModel

extension SetRetention: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        let channel = try state.joinedChannel(channelID, by: context.caller)
        try FieldChecks.size(maxAgeSeconds, "max_age_seconds", FieldLimits.retentionSeconds)
        try FieldChecks.size(maxMessages, "max_messages", FieldLimits.retentionCount)
        try channel.checkKeepsMessages()
        let retention = Retention(seconds: maxAgeSeconds, count: maxMessages)
        return Decision(channel.retention == retention ? [] : [.retentionSet(channelID, retention)])
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> Response {
        let channel = try state.joinedChannel(channelID, by: context.caller)
        return Response(
            channelID: channelID, maxAgeSeconds: channel.retention.seconds,
            maxMessages: channel.retention.count, firstOffset: channel.firstOffset)
    }
}
