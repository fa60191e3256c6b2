import ChatModel
import Synchronization

/// A permitted use of a server key. No scope includes another: full access needs all three.
package enum KeyScope: String, Sendable, CaseIterable {
    /// Queries, with the view of the app's backend or of a user.
    case read
    /// Changes to the chat, by the app or on behalf of its users.
    case write
    /// Administration of the app: settings, webhooks, tokens, emoji, deactivation, imports, exports.
    case admin
}

extension Set<KeyScope> {
    package static let all = Set(KeyScope.allCases)

    /// - Throws: 1019 with the scope's name, unless the scope is included or `nil`.
    package func check(_ needed: KeyScope?) throws(Rejection) {
        guard let needed, !contains(needed) else { return }
        throw Rejection(.keyScope, "the key lacks the scope \(needed.rawValue)")
    }
}

/// A server key with its id, scopes and expiry.
package struct NamedKey: Sendable, Equatable {
    /// An id for display, never the key itself.
    package let id: String
    let key: APIKey
    package let scopes: Set<KeyScope>
    /// Milliseconds since 1970; from then on, the key is refused.
    package let expiresAt: Int64?

    package init(id: String, key: APIKey, scopes: Set<KeyScope>, expiresAt: Int64? = nil) {
        self.id = id
        self.key = key
        self.scopes = scopes
        self.expiresAt = expiresAt
    }

    package func hasKey(of other: NamedKey) -> Bool { key == other.key }

    package func isExpired(at now: Int64) -> Bool { expiresAt.map { $0 <= now } ?? false }
}

/// The accepted server keys, which may change while the server runs.
package final class KeyRing: Sendable {
    /// Replaced on one thread while the loops read it.
    private let keys: Mutex<[NamedKey]>
    private let onUse: @Sendable (_ id: String) -> Void

    /// - Parameter onUse: Receives the id of each key that authenticates a request.
    package init(_ keys: [NamedKey], onUse: @escaping @Sendable (_ id: String) -> Void = { _ in }) {
        self.keys = Mutex(keys)
        self.onUse = onUse
    }

    /// Replaces the keys. Requests in progress keep the key that authenticated them.
    package func replace(_ keys: [NamedKey]) { self.keys.withLock { $0 = keys } }

    /// The current keys, in the order of their source.
    package var current: [NamedKey] { keys.withLock(\.self) }

    /// Finds the matching key. Compares all keys, so that timing reveals neither whether one matches nor which.
    ///
    /// - Throws: 101 for an unknown or expired key.
    package func key(_ text: String, now: Int64) throws(Rejection) -> NamedKey {
        let presented = APIKey(presented: text)
        var found: NamedKey?
        for named in keys.withLock(\.self) where named.key == presented { found = named }
        guard let found else { throw Rejection(.unauthorized, "unknown X-API-Key") }
        guard !found.isExpired(at: now) else { throw Rejection(.unauthorized, "X-API-Key has expired") }
        onUse(found.id)
        return found
    }
}
