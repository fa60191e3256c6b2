import ChatModel

extension ListDeadLetters {
    private static var hash: UInt64 {
        var hash = StableHash()
        hash.combine(method)
        return hash.value
    }

    /// - Returns: The serial after which the page starts, and the number of letters requested.
    package func page() throws(Rejection) -> (serial: UInt64, limit: Int) {
        try FieldChecks.size(limit, "limit", 1...FieldLimits.pageSize)
        let serial = if let next { try PageToken(next, filterHash: Self.hash).offset } else { UInt64(0) }
        return (serial, limit ?? FieldLimits.defaultPageSize)
    }

    package static func token(after serial: UInt64) -> String {
        PageToken(offset: serial, filterHash: hash).text
    }
}

extension ReplayDeadLetters {
    package func checkFields() throws(Rejection) {
        guard let eventIDs else { return }
        guard (1...FieldLimits.pageSize).contains(eventIDs.count) else {
            throw Rejection(.invalidValue, "event_ids: 1 to \(FieldLimits.pageSize)")
        }
    }
}

/// Returns an answer obtained outside the chat, after the chat has checked that the webhook exists.
package struct HandOut<Asked: Request>: Query {
    package typealias Response = Asked.Response
    package static var method: String { Asked.method }
    private let webhook: String
    private let response: Response

    /// - Parameter asked: The type of the answered request.
    package init(_ response: Response, to asked: Asked.Type, of webhook: String) {
        self.webhook = webhook
        self.response = response
    }

    package func answer(from state: ChatState, _ context: Context) throws(Rejection) -> Response {
        guard state.webhooks.contains(where: { $0.webhook.id == webhook }) else {
            throw Rejection(.notFound, "webhook")
        }
        return response
    }
}
