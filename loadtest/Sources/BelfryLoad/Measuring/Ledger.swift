/// What one subscriber has heard of the channel: every message once, and every offset the next one.
///
/// Confined to its client's loop until that has been asked for it.
final class Ledger: @unchecked Sendable {
    struct Findings: Equatable, Sendable {
        /// Messages that never came.
        var missing = 0
        var firstMissing: Int?
        /// Messages that came more than once.
        var doubled = 0
        /// Offsets that were not the next one.
        var outOfOrder = 0
        var firstOutOfOrder: OffsetOrder.Step?

        var isClean: Bool { self == Findings() }
    }

    private var seen: [UInt64]
    private let messages: Int
    /// Messages that came, each counted once.
    private(set) var heard = 0
    private var doubled = 0
    private var order = OffsetOrder()

    /// - Parameter messages: How many there will be.
    init(messages: Int) {
        self.messages = messages
        seen = Array(repeating: 0, count: (messages + 63) / 64)
    }

    /// Every durable event of the channel counts, whatever it is.
    func note(offset: UInt64) { order.note(offset) }

    /// - Returns: Whether it came for the first time.
    func note(message sequence: Int) -> Bool {
        guard (0..<messages).contains(sequence) else { return false }
        let (word, bit) = (sequence / 64, UInt64(1) << UInt64(sequence % 64))
        guard seen[word] & bit == 0 else {
            doubled += 1
            return false
        }
        seen[word] |= bit
        heard += 1
        return true
    }

    /// - Parameter sent: Which messages were sent, 0 up to this one. Those whose sending failed may be missing.
    func findings(sent: Int, excusing failed: Set<Int>) -> Findings {
        var findings = Findings(
            doubled: doubled, outOfOrder: order.outOfOrder, firstOutOfOrder: order.firstOutOfOrder)
        for sequence in 0..<min(sent, messages) where seen[sequence / 64] >> UInt64(sequence % 64) & 1 == 0 {
            if failed.contains(sequence) { continue }
            findings.missing += 1
            findings.firstMissing = findings.firstMissing ?? sequence
        }
        return findings
    }
}
