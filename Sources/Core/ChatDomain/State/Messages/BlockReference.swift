/// Where a block of bodies is on disk.
package struct BlockReference: Hashable, Sendable {
    /// The number of the file.
    package let file: UInt64
    /// Where the block begins in the file, in bytes.
    package let offset: UInt64
    /// The size of the block in bytes.
    package let size: UInt32

    package init(file: UInt64, offset: UInt64, size: UInt32) {
        self.file = file
        self.offset = offset
        self.size = size
    }
}

/// What a block on disk holds.
package enum BlockContents: Sendable {
    case bodies([MessageBody])
    /// It is damaged, or its file is missing.
    case damaged
    /// The disk failed; a later attempt may succeed.
    case unavailable
}

/// A source of blocks on disk. May be called on any queue.
package protocol BlockReader: AnyObject, Sendable {
    func read(_ reference: BlockReference) -> BlockContents

    /// Keeps the files with these numbers open, and closes all others.
    ///
    /// - Returns: Why a file cannot be opened; `nil` if all are open.
    func retain(_ files: Set<UInt64>) -> String?
}

/// A block as a snapshot refers to it.
package struct BlockPart: Equatable, Sendable {
    package var reference: BlockReference
    /// The number of bodies.
    package var count: Int

    package init(reference: BlockReference, count: Int) {
        self.reference = reference
        self.count = count
    }
}

extension BlockPart: Weighed {
    package var weight: Int { 4 * PieceWeight.number }
}
