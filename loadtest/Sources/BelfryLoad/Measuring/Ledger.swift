/// Records what one subscriber received in the channel, where every message is expected once and offsets are
/// consecutive.
///
/// Confined to its client's loop until the loop is idle.
final class Ledger: @unchecked Sendable {
    struct Findings: Equatable, Sendable {
        /// Messages that never arrived.
        var missing = 0
        var firstMissing: Int?
        /// Messages that arrived more than once.
        var doubled = 0
        /// Offsets that were not the next one.
        var outOfOrder = 0
        var firstOutOfOrder: OffsetOrder.Step?

        var isClean: Bool { self == Findings() }
    }

    private var seen: [UInt64]
    private let messages: Int
    /// The number of distinct messages received.
    private(set) var heard = 0
    private var doubled = 0
    private var order = OffsetOrder()

    /// - Parameter messages: The total number.
    init(messages: Int) {
        self.messages = messages
        seen = Array(repeating: 0, count: (messages + 63) / 64)
    }

    /// Records the offset of a durable event of any type.
    func record(offset: UInt64) { order.record(offset) }

    /// Records a message.
    ///
    /// - Returns: Whether it arrived for the first time.
    func record(message sequence: Int) -> Bool {
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

    /// - Parameters:
    ///   - sent: The number of messages sent.
    ///   - failed: Messages that may be missing, because sending failed.
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

/// Checks that the offsets of a room are consecutive.
struct OffsetOrder: Sendable {
    struct Step: Equatable, Sendable {
        var expected: UInt64
        var received: UInt64
    }

    private(set) var last: UInt64?
    private(set) var outOfOrder = 0
    private(set) var firstOutOfOrder: Step?

    /// Records the offset of an event of any type; 0 belongs to transient events and is ignored.
    mutating func record(_ offset: UInt64) {
        guard offset > 0 else { return }
        if let last, offset != last + 1 {
            outOfOrder += 1
            if firstOutOfOrder == nil { firstOutOfOrder = Step(expected: last + 1, received: offset) }
        }
        last = max(offset, last ?? 0)
    }
}
