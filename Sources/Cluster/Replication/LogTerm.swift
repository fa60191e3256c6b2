import Gateway

/// A term and its writer, the only node that may append batches in it.
package struct LogTerm: Hashable, Sendable {
    /// Counts up from 1.
    package let number: UInt64
    package let writer: NodeID

    package init(number: UInt64, writer: NodeID) {
        self.number = number
        self.writer = writer
    }
}
