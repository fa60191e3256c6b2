/// What one member has heard of one of many rooms: every durable event, with its offset.
///
/// Takes 24 bytes for each. Confined to its client's loop until that is at rest.
final class RoomLedger: @unchecked Sendable {
    enum Kind: UInt8 {
        case message, reply, reaction, other
    }

    struct Entry: Equatable {
        var offset: UInt64
        /// Which of the run's messages; -1 for what is none.
        var sequence: Int
        var kind: Kind
    }

    private(set) var heard: [Entry] = []
    private var order = OffsetOrder()

    func note(_ entry: Entry) {
        guard entry.offset > 0 else { return }
        order.note(entry.offset)
        heard.append(entry)
    }

    func count(of kind: Kind) -> Int { heard.count { $0.kind == kind } }

    /// - Parameter acknowledged: The run's messages in this room: their numbers by their offsets. Each must have been
    ///   heard once and at its offset.
    func findings(acknowledged: [UInt64: Int]) -> Ledger.Findings {
        var findings = Ledger.Findings(outOfOrder: order.outOfOrder, firstOutOfOrder: order.firstOutOfOrder)
        var (places, seen) = ([UInt64: Int](), Set<Int>())
        for entry in heard where entry.sequence >= 0 {
            if !seen.insert(entry.sequence).inserted { findings.doubled += 1 }
            places[entry.offset] = entry.sequence
        }
        for (offset, sequence) in acknowledged where places[offset] != sequence {
            findings.missing += 1
            findings.firstMissing = min(sequence, findings.firstMissing ?? sequence)
        }
        return findings
    }
}
