import Synchronization

/// The current public keys. They may be replaced while tokens are being verified.
package final class TokenKeyRing: Sendable {
    private struct State {
        var read: [TokenKey] = []
        /// `nil` until the first successful fetch.
        var fetched: [TokenKey]?

        var all: [TokenKey] { read + (fetched ?? []) }
    }

    private let state = Mutex(State())

    package init() {}

    package var count: Int { state.withLock { $0.all.count } }
    package var wasFetched: Bool { state.withLock { $0.fetched != nil } }

    /// Sets the keys from the file.
    package func setRead(_ keys: [TokenKey]) { state.withLock { $0.read = keys } }
    /// Sets the keys from the JWKS URL.
    package func setFetched(_ keys: [TokenKey]) { state.withLock { $0.fetched = keys } }

    /// The key that verifies a token with this header, if it is unambiguous.
    ///
    /// A token with a `kid` is verified by the key of that id, or else by the only key of its algorithm without
    /// an id. A token without a `kid` is verified by the only key of its algorithm.
    func key(for head: TokenHead) -> TokenKey? {
        let fitting = state.withLock { $0.all }.filter { $0.algorithm == head.algorithm }
        guard let id = head.keyID else { return fitting.count == 1 ? fitting.first : nil }
        if let named = fitting.first(where: { $0.id == id }) { return named }
        let nameless = fitting.filter { $0.id == nil }
        return nameless.count == 1 ? nameless.first : nil
    }

    /// Whether the token names an unknown key, which may have been published since.
    func isUnknown(_ head: TokenHead) -> Bool {
        guard let id = head.keyID else { return false }
        return state.withLock { state in !state.all.contains { $0.id == id && $0.algorithm == head.algorithm } }
    }
}

/// Fetches keys into a ring.
package protocol TokenKeySource: Sendable {
    /// Returns once keys have been fetched, or immediately when it is too soon; the source limits the rate.
    func fetchAgain() async
}
