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
package struct HandOut<Asked: Request>: Query {
    package typealias Response = Asked.Response
    package static var method: String { Asked.method }
    private let webhook: String
    private let response: Response

    /// - Parameter asked: What is answered, by its type alone.
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
