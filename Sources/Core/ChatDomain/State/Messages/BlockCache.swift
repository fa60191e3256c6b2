/// The blocks of a state that were read from disk.
///
/// An access to a block that is not here reads it at once, unless an *attempt* is in progress: that only notes what is
/// missing, so that the queue of the state never waits for the disk. Whatever the attempt found is then worthless; its
/// caller has the blocks loaded and tries again.
///
/// Touched only on the queue that owns the state.
package final class BlockCache: @unchecked Sendable {
    package struct Counts: Sendable, Equatable {
        /// Blocks that attempts missed.
        package var misses = 0
        /// Blocks read on the queue of the state, outside of attempts.
        package var reads = 0
        /// Blocks that the disk did not return.
        package var failures = 0
    }

    /// The largest number of blocks that one attempt notes; the next attempt notes the others.
    static let missLimit = 512

    /// Those used since the last trim, and those used before it.
    private var recent: [BlockReference: BodyBlock] = [:]
    private var older: [BlockReference: BodyBlock] = [:]
    private var recentSize = 0
    private var olderSize = 0
    package let reader: (any BlockReader)?
    private var isAttempting = false
    private var missed: [BlockReference] = []
    private var isMissed: Set<BlockReference> = []
    /// The blocks that cannot be read.
    package private(set) var damaged: Set<BlockReference> = []
    /// Whether the last attempt needed one of them.
    package private(set) var metDamage = false
    package private(set) var counts = Counts()
    /// The maximum size of the blocks kept between two attempts, in bytes.
    package var limit: Int

    /// - Parameter reader: `nil` for a state that has no blocks on disk.
    package init(reader: (any BlockReader)? = nil, limit: Int = 67_108_864) {
        self.reader = reader
        self.limit = limit
    }

    /// The size of the blocks in bytes.
    package var size: Int { recentSize + olderSize }

    /// Returns a block; `nil` if it is damaged, or missing during an attempt.
    func block(_ reference: BlockReference) -> BodyBlock? {
        if let block = recent[reference] { return block }
        if let block = older.removeValue(forKey: reference) {
            olderSize -= block.size
            insert(block, at: reference)
            return block
        }
        if damaged.contains(reference) {
            metDamage = true
            return nil
        }
        if isAttempting {
            if missed.count < Self.missLimit, isMissed.insert(reference).inserted { missed.append(reference) }
            return nil
        }
        counts.reads += 1
        add(reference, reader?.read(reference) ?? .damaged)
        trim()
        return recent[reference] ?? older[reference]
    }

    /// Begins an attempt, which `endAttempt` ends.
    package func beginAttempt() {
        isAttempting = true
        metDamage = false
    }

    /// - Returns: The blocks that the attempt missed; it was complete if there are none.
    package func endAttempt() -> [BlockReference] {
        isAttempting = false
        guard !missed.isEmpty else {
            trim()
            return []
        }
        counts.misses += missed.count
        defer {
            missed = []
            isMissed = []
        }
        return missed
    }

    /// Adds a block that was read.
    package func add(_ reference: BlockReference, _ contents: BlockContents) {
        switch contents {
        case .bodies(let bodies): if recent[reference] == nil { insert(BodyBlock(bodies), at: reference) }
        case .damaged: damaged.insert(reference)
        case .unavailable: counts.failures += 1
        }
    }

    private func insert(_ block: BodyBlock, at reference: BlockReference) {
        recent[reference] = block
        recentSize += block.size
    }

    /// Drops the blocks that were not used for longest, if there are too many.
    private func trim() {
        guard recentSize > limit / 2 else { return }
        (older, olderSize) = (recent, recentSize)
        (recent, recentSize) = ([:], 0)
    }

    /// Forgets all blocks; for tests.
    package func removeAll() {
        (recent, recentSize) = ([:], 0)
        (older, olderSize) = ([:], 0)
    }
}
