import Synchronization

/// The public keys there are now. Replaced while tokens are judged.
package final class TokenKeyRing: Sendable {
    private struct State {
        var read: [TokenKey] = []
        /// `nil` until some were fetched for the first time.
        var fetched: [TokenKey]?

        var all: [TokenKey] { read + (fetched ?? []) }
    }

    private let state = Mutex(State())

    package init() {}

    package var count: Int { state.withLock { $0.all.count } }
    package var wasFetched: Bool { state.withLock { $0.fetched != nil } }

    /// Those of a file.
    package func setRead(_ keys: [TokenKey]) { state.withLock { $0.read = keys } }
    /// Those that somebody publishes.
    package func setFetched(_ keys: [TokenKey]) { state.withLock { $0.fetched = keys } }

    /// The key that judges a token of this head, if it is clear which.
    ///
    /// A token that names a key is judged by it or by the only one of its algorithm without a name; a token that names none
    /// by the only one of its algorithm.
    func key(for head: TokenHead) -> TokenKey? {
        let fitting = state.withLock { $0.all }.filter { $0.algorithm == head.algorithm }
        guard let id = head.keyID else { return fitting.count == 1 ? fitting.first : nil }
        if let named = fitting.first(where: { $0.id == id }) { return named }
        let nameless = fitting.filter { $0.id == nil }
        return nameless.count == 1 ? nameless.first : nil
    }

    /// Whether the token names a key that is not there, so that it may have been published since.
    func isUnknown(_ head: TokenHead) -> Bool {
        guard let id = head.keyID else { return false }
        return state.withLock { state in !state.all.contains { $0.id == id && $0.algorithm == head.algorithm } }
    }
}

/// Fetches keys into a ring.
package protocol TokenKeySource: Sendable {
    /// Returns when keys were fetched, or when that has to wait; how often is the source's to say.
    func fetchAgain() async
}
