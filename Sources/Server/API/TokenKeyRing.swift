import Synchronization

/// The current public keys, which may be replaced while tokens are being verified.
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

    /// Returns the key that verifies a token with this header, if it is unambiguous.
    ///
    /// A token with a `kid` is verified by the key with that id, or else by the only key of its algorithm without an
    /// id. A token without a `kid` is verified by the only key of its algorithm.
    func key(for head: TokenHead) -> TokenKey? {
        let candidates = state.withLock { $0.all }.filter { $0.algorithm == head.algorithm }
        guard let id = head.keyID else { return candidates.count == 1 ? candidates.first : nil }
        if let named = candidates.first(where: { $0.id == id }) { return named }
        let unnamed = candidates.filter { $0.id == nil }
        return unnamed.count == 1 ? unnamed.first : nil
    }

    /// Returns whether the token names an unknown key, which may have been published since the last fetch.
    func isUnknown(_ head: TokenHead) -> Bool {
        guard let id = head.keyID else { return false }
        return state.withLock { state in !state.all.contains { $0.id == id && $0.algorithm == head.algorithm } }
    }
}

/// Fetches keys into a ring.
package protocol TokenKeySource: Sendable {
    /// Returns once keys have been fetched, or immediately when it is too soon to fetch. The source limits the rate.
    func fetchAgain() async
}
