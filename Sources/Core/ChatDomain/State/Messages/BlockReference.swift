import ChatModel

/// Where a block of bodies, or a run of messages, is on disk.
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

    /// Reads a run of messages without bodies.
    func readRun(_ reference: BlockReference) -> RunContents

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
    /// The last message whose body is in the block; `nil` in snapshots by older servers.
    package var last: BlockEnd?

    package init(reference: BlockReference, count: Int, last: BlockEnd? = nil) {
        self.reference = reference
        self.count = count
        self.last = last
    }
}

/// The last message of a block.
package struct BlockEnd: Hashable, Sendable {
    package var id: MessageID
    package var offset: UInt64

    package init(id: MessageID, offset: UInt64) {
        self.id = id
        self.offset = offset
    }
}

extension BlockPart: Weighed {
    package var weight: Int { 5 * PieceWeight.number + PieceWeight.id }
}
