import WireProtocol

/// What a server key may be used for. None contains another: a key that may do everything has all three.
package enum KeyScope: String, Sendable, CaseIterable {
    /// Questions: what is there, as the app's backend or a user sees it.
    case read
    /// Changes of the chat, for the app or on behalf of its users.
    case write
    /// What decides over the whole app: settings, webhooks, tokens, emoji, deactivation.
    case admin
}

extension Set<KeyScope> {
    package static let all = Set(KeyScope.allCases)

    /// - Throws: 1019 with the scope's name. What needs none is let pass.
    package func check(_ needed: KeyScope?) throws(Rejection) {
        guard let needed, !contains(needed) else { return }
        throw Rejection(.keyScope, "this needs a key with \(needed.rawValue)")
    }
}
