import ChatModel

// Text rules of one word each, and the app's hook; the scripts' texts are single words.

extension NaiveChat {
    mutating func set(_ request: SetHook) throws(Refused) -> Outcome {
        try refuse(1032, when: (request.url == nil) != (request.onFailure == nil))
        hook = request.url.flatMap { url in
            request.onFailure.map { MessageHook(url: url, timeoutMilliseconds: 500, onFailure: $0) }
        }
        return .hook(hook)
    }

    mutating func set(_ request: SetTextRules) throws(Refused) -> Outcome {
        try refuse(1032, when: request.rules.contains { $0.words?.isEmpty ?? true })
        for rule in request.rules { textRules[rule.id] = rule }
        return .count(textRules.count)
    }

    mutating func delete(_ request: DeleteTextRules) throws(Refused) -> Outcome {
        try refuse(1032, when: request.ids.isEmpty)
        for id in request.ids { textRules[id] = nil }
        return .count(textRules.count)
    }

    /// Returns a user's text as the rules let it pass; the app's own passes as it is.
    func checked(_ text: String, by user: UserID?) throws(Refused) -> String {
        guard user != nil else { return text }
        let matching = textRules.values.filter { $0.words?.contains(text.lowercased()) ?? false }
        try refuse(1050, when: matching.contains { $0.action == .refuse })
        return matching.contains { $0.action == .mask } ? String(repeating: "*", count: text.count) : text
    }
}
