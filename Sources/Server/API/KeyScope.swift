import ChatModel

/// What a server key may be used for. Scopes do not include each other: full access takes all three.
package enum KeyScope: String, Sendable, CaseIterable {
    /// Queries, as the app's backend or a user sees the data.
    case read
    /// Changes in the chat, for the app or on behalf of its users.
    case write
    /// Administration of the app: settings, webhooks, tokens, emoji, deactivation.
    case admin
}

extension Set<KeyScope> {
    package static let all = Set(KeyScope.allCases)

    /// - Throws: 1019 with the scope's name. `nil` passes.
    package func check(_ needed: KeyScope?) throws(Rejection) {
        guard let needed, !contains(needed) else { return }
        throw Rejection(.keyScope, "this needs a key with \(needed.rawValue)")
    }
}
