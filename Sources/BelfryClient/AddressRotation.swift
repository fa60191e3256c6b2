/// Whose turn it is among a client's addresses. Each gets one attempt per round.
struct AddressRotation {
    private let count: Int
    /// The index of the address to use.
    private(set) var current = 0
    /// The number of addresses that have failed in this round.
    private var failed = 0

    /// - Parameter count: The number of addresses; at least 1.
    init(count: Int) {
        precondition(count > 0)
        self.count = count
    }

    /// Moves on to the next address, because the current one failed.
    ///
    /// - Returns: Whether this ends the round, because every address has failed.
    mutating func advance() -> Bool {
        current = (current + 1) % count
        failed += 1
        guard failed >= count else { return false }
        failed = 0
        return true
    }

    /// Starts a new round at the current address, because it works.
    mutating func beginRound() { failed = 0 }
}
