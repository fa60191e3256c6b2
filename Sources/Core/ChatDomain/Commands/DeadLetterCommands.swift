import ChatModel

extension ListDeadLetters {
    private static var hash: UInt64 {
        var hash = StableHash()
        hash.combine(method)
        return hash.value
    }

    /// - Returns: The serial number after which the page starts, and the requested number of dead letters.
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
            throw Rejection(.invalidValue, "event_ids: must have 1 to \(FieldLimits.pageSize) values")
        }
    }
}

/// Checks that a webhook exists. The API runs this query before it returns dead letters, because those are stored
/// outside the chat state.
///
/// Not in the command table.
package struct CheckWebhook: Query {
    package struct Response: Codable, Sendable {}
    package static let method = "webhook.check"
    private let id: String

    package init(id: String) { self.id = id }

    /// - Throws: 1000 if the webhook does not exist.
    package func answer(from state: ChatState, _ context: Context) throws(Rejection) -> Response {
        guard state.webhooks.contains(where: { $0.webhook.id == id }) else { throw Rejection(.notFound, "webhook") }
        return Response()
    }
}
