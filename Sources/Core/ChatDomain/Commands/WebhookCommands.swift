import ChatModel

extension SetWebhook: Change {
    private var target: WebhookTarget {
        WebhookTarget(
            webhook: Webhook(id: id, url: url, events: events), secret: secret, previousSecret: previousSecret)
    }

    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        try checkFields()
        let earlier = state.webhooks.first { $0.webhook.id == id }
        guard earlier != target else { return Decision([]) }
        guard earlier != nil || state.webhooks.count < FieldLimits.webhooks else {
            throw Rejection(.tooMany, "webhooks: at most \(FieldLimits.webhooks)")
        }
        return Decision([.webhookSet(target)])
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> WebhookResponse {
        WebhookResponse(webhook: target.webhook)
    }

    private func checkFields() throws(Rejection) {
        let isID = id.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard isID, (1...64).contains(id.utf8.count) else {
            throw Rejection(.invalidValue, "id: must match [A-Za-z0-9_-]{1,64}")
        }
        try FieldChecks.receiver(url, "url")
        try FieldChecks.signingKey(secret, "secret")
        if let previousSecret { try FieldChecks.signingKey(previousSecret, "previous_secret") }
        guard case .types(let types) = events else { return }
        guard !types.isEmpty, types.count <= EventType.allCases.count + 1 else {
            throw Rejection(.invalidValue, "events: must name at least one type, each once")
        }
        for type in types where EventType(rawValue: type) == nil && type != PushNotice.type {
            throw Rejection(.invalidValue, "events: unknown type")
        }
    }
}

extension ListWebhooks: Query {
    package func answer(from state: ChatState, _ context: Context) throws(Rejection) -> Response {
        Response(webhooks: state.webhooks.map(\.webhook))
    }
}

extension DeleteWebhook: Change {
    package func decide(in state: ChatState, _ context: Context) throws(Rejection) -> Decision {
        guard let target = state.webhooks.first(where: { $0.webhook.id == id }) else {
            throw Rejection(.notFound, "webhook")
        }
        return Decision([.webhookDeleted(target.webhook)])
    }

    package func response(
        from state: ChatState, _ context: Context, after records: [Record]
    ) throws(Rejection) -> WebhookResponse {
        guard case .webhookDeleted(let webhook) = records.first?.event else { throw Rejection(.notFound, "webhook") }
        return WebhookResponse(webhook: webhook)
    }
}
