import ChatModel
import WireProtocol

extension ListDeadLetters {
    private static var hash: UInt64 {
        var hash = StableHash()
        hash.combine(method)
        return hash.value
    }

    /// - Returns: How many are asked for, behind which.
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

/// Hands out what was found beside the chat, if there is such a webhook, which is the chat's to say.
package struct HandOutDeadLetters: Query {
    package typealias Response = ListDeadLetters.Response
    package static let method = ListDeadLetters.method
    package let id: String
    package let response: Response

    package init(id: String, response: Response) {
        self.id = id
        self.response = response
    }

    package func answer(from state: ChatState, _ context: Context) throws(Rejection) -> Response {
        try state.requireWebhook(id)
        return response
    }
}

/// As for the list.
package struct HandOutReplay: Query {
    package typealias Response = ReplayDeadLetters.Response
    package static let method = ReplayDeadLetters.method
    package let id: String
    package let response: Response

    package init(id: String, response: Response) {
        self.id = id
        self.response = response
    }

    package func answer(from state: ChatState, _ context: Context) throws(Rejection) -> Response {
        try state.requireWebhook(id)
        return response
    }
}

extension ChatState {
    fileprivate func requireWebhook(_ id: String) throws(Rejection) {
        guard webhooks.contains(where: { $0.webhook.id == id }) else { throw Rejection(.notFound, "webhook") }
    }
}
