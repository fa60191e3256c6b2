/// Records what one member received in one of many rooms: every durable event with its offset.
///
/// Takes 24 bytes per event. Confined to its client's loop until the loop is idle.
final class RoomLedger: @unchecked Sendable {
    enum Kind: UInt8 {
        case message, reply, reaction, other
    }

    struct Entry: Equatable {
        var offset: UInt64
        /// The number of the run's message; -1 for other events.
        var sequence: Int
        var kind: Kind
    }

    private(set) var heard: [Entry] = []
    private var order = OffsetOrder()

    func record(_ entry: Entry) {
        guard entry.offset > 0 else { return }
        order.record(entry.offset)
        heard.append(entry)
    }

    func count(of kind: Kind) -> Int { heard.count { $0.kind == kind } }

    /// - Parameter acknowledged: The numbers of the run's messages in this room, by offset. Each must have been
    ///   received once and at its offset.
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
