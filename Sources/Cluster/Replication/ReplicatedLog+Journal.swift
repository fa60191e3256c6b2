import ChatDomain
import Journal

/// What the node's own journal does for its engine.
extension ReplicatedLog {
    package func flush() { journal.flush() }
    package func follow(_ follower: @escaping @Sendable ([Note]) -> Void) { journal.follow(follower) }
    package func close(_ done: @escaping @Sendable () -> Void) { journal.close(done) }
    package var lastSequence: UInt64 { journal.lastSequence }
    package func base() throws -> (state: ChatState, sequence: UInt64) { try journal.base() }
    package func first(ofLastBytes bytes: Int) -> UInt64 { journal.first(ofLastBytes: bytes) }
    package func read(from sequence: UInt64, _ body: (UInt64, [Record]) throws -> Void) throws {
        try journal.read(from: sequence, body)
    }
}
