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

extension CommandTable {
    /// - Returns: Nil for a command that there is none of.
    package static func scope(of method: String) -> KeyScope? { byMethod[method]?.scope }
}

extension HTTPRoute {
    /// What a server key needs here; nil where keys are not asked for.
    package var scope: KeyScope? {
        switch self {
        case .command(let method): CommandTable.scope(of: method)
        case .upload: .write
        case .file: .read
        case .webSocket, .echo, .live, .ready, .metrics, .openAPI, .asyncAPI, .notFound, .methodNotAllowed: nil
        }
    }
}
