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
        /// Damaged blocks that were needed.
        package var damaged = 0
    }

    /// The blocks that one attempt notes, and their size on disk in bytes, about; the next attempt notes the others.
    static let missLimit = 512
    static let missBytes = 16_777_216

    /// Those used since the last trim, and those used before it.
    private var recent: [BlockReference: BodyBlock] = [:]
    private var older: [BlockReference: BodyBlock] = [:]
    private var recentSize = 0
    private var olderSize = 0
    package let reader: (any BlockReader)?
    private var isAttempting = false
    private var missed: [BlockReference] = []
    private var isMissed: Set<BlockReference> = []
    private var missedBytes = 0
    /// The blocks that cannot be read.
    package private(set) var damaged: Set<BlockReference> = []
    /// Those among them that were needed.
    private var metDamaged: Set<BlockReference> = []
    /// Whether the last attempt needed one of them.
    package private(set) var metDamage = false
    package private(set) var counts = Counts()
    /// The maximum size of the blocks kept between two attempts, in bytes.
    package var limit: Int
    private let excess: Int

    /// - Parameters:
    ///   - reader: `nil` for a state that has no blocks on disk.
    ///   - excess: What commands under way may keep beyond the limit, in bytes.
    package init(reader: (any BlockReader)? = nil, limit: Int = 67_108_864, excess: Int = 134_217_728) {
        self.reader = reader
        self.limit = limit
        self.excess = excess
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
            if metDamaged.insert(reference).inserted { counts.damaged += 1 }
            return nil
        }
        if isAttempting {
            note(reference)
            return nil
        }
        counts.reads += 1
        let contents = reader?.read(reference) ?? .damaged
        add(reference, contents)
        if case .damaged = contents { return self.block(reference) }
        trim()
        return recent[reference] ?? older[reference]
    }

    private func note(_ reference: BlockReference) {
        guard !notesNoMore, isMissed.insert(reference).inserted else { return }
        missed.append(reference)
        missedBytes += Int(reference.size)
    }

    /// Whether the attempt in progress lacks a block, so that what it has found since then is worthless.
    var hasMissed: Bool { !missed.isEmpty }

    /// Whether it notes no more of them.
    var notesNoMore: Bool { missed.count >= Self.missLimit || missedBytes >= Self.missBytes }

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
        defer { (missed, isMissed, missedBytes) = ([], [], 0) }
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
        if recentSize > limit / 2 + excess { trim() }
    }

    /// Drops the blocks that were not used for longest, if there are too many.
    private func trim() {
        guard recentSize > limit / 2 else { return }
        (older, olderSize) = (recent, recentSize)
        (recent, recentSize) = ([:], 0)
    }
}
