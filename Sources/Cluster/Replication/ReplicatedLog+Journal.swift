import ChatDomain
import Journal
import Records

/// What the node's own journal does for its engine.
extension ReplicatedLog {
    /// Whether this node's journal is short of space. Callable from any queue.
    package var isShort: Bool { journal.isShort }

    package func flush() { journal.flush() }
    package func follow(_ follower: @escaping @Sendable ([Note]) -> Void) { journal.follow(follower) }
    package func close(_ done: @escaping @Sendable () -> Void) { journal.close(done) }
    package var lastSequence: UInt64 { journal.lastSequence }
    package func base() throws -> (state: ChatState, sequence: UInt64) { try journal.base() }
    package func first(ofLastBytes bytes: Int) -> UInt64 { journal.first(ofLastBytes: bytes) }
    package func read(from sequence: UInt64, _ body: (UInt64, [Record]) throws -> Void) throws {
        try journal.read(from: sequence, body)
    }

    package func canExpress(_ records: [Record]) -> Bool {
        RecordCoder.expresses(records, version: recordVersion)
    }

    package func fits(_ records: [Record]) -> Bool {
        guard journal.fits(records) else { return false }
        // The sum of the bounds would refuse too much.
        return records.reduce(0) { $0 + $1.largestSize } <= LogFrame.commandLimit
            || RecordCoder.encode(records)?.count ?? .max <= LogFrame.commandLimit
    }
}
