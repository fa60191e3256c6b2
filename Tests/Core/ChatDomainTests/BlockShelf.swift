import Synchronization

@testable import ChatDomain

/// Blocks of bodies in memory instead of on disk.
final class BlockShelf: BlockReader {
    private struct Contents {
        var blocks: [BlockReference: BlockContents] = [:]
        var runs: [BlockReference: RunContents] = [:]
        var next: UInt64 = 0
        var reads = 0
        var runReads = 0

        mutating func newReference(_ size: Int) -> BlockReference {
            next += 1
            return BlockReference(file: 1, offset: next, size: UInt32(size))
        }
    }

    private let contents = Mutex(Contents())

    var reads: Int { contents.withLock(\.reads) }
    var runReads: Int { contents.withLock(\.runReads) }
    var references: [BlockReference] { contents.withLock { Array($0.blocks.keys) } }

    func read(_ reference: BlockReference) -> BlockContents {
        contents.withLock { contents in
            contents.reads += 1
            return contents.blocks[reference] ?? .damaged
        }
    }

    func readRun(_ reference: BlockReference) -> RunContents {
        contents.withLock { contents in
            contents.runReads += 1
            return contents.runs[reference] ?? .damaged
        }
    }

    func retain(_ files: Set<UInt64>) -> String? { nil }

    func replace(_ reference: BlockReference, by block: BlockContents) {
        contents.withLock { $0.blocks[reference] = block }
    }

    func bodies(_ reference: BlockReference) -> [MessageBody] {
        guard case .bodies(let bodies) = contents.withLock({ $0.blocks[reference] }) else { return [] }
        return bodies
    }

    static let limits = {
        var limits = PieceLimits()
        limits.count = 3
        return limits
    }()

    /// Stores a state as a snapshot does.
    ///
    /// - Parameter keeps: Whether a block may stay where it is.
    func store(
        _ state: ChatState, _ limits: PieceLimits = limits, keeps: @escaping (BlockReference) -> Bool = { _ in true }
    ) -> (parts: [StatePart], blocks: [StoredBlock]) {
        var (parts, blocks): ([StatePart], [StoredBlock]) = ([], [])
        let history = HistoryStore<Never>(
            store: { bodies in
                self.contents.withLock { contents in
                    let reference = contents.newReference(bodies.count)
                    contents.blocks[reference] = .bodies(bodies)
                    return reference
                }
            }, keeps: keeps, stored: { block, isNew in if isNew { blocks.append(block) } },
            storeRun: { parts in
                self.contents.withLock { contents in
                    let reference = contents.newReference(parts.count)
                    contents.runs[reference] = .parts(parts)
                    return reference
                }
            })
        state.parts(limits, storing: history) { parts.append($0) }
        return (parts, blocks)
    }

    func replaceRun(_ reference: BlockReference, by run: RunContents) {
        contents.withLock { $0.runs[reference] = run }
    }

    /// Removes the blocks and runs to which these pieces do not refer.
    func keepOnly(_ parts: [StatePart]) {
        var kept: Set<BlockReference> = []
        for case .blocks(_, let blocks) in parts { kept.formUnion(blocks.map(\.reference)) }
        for case .runs(_, _, let runs) in parts { kept.formUnion(runs.map(\.reference)) }
        contents.withLock { contents in
            contents.blocks = contents.blocks.filter { kept.contains($0.key) }
            contents.runs = contents.runs.filter { kept.contains($0.key) }
        }
    }

    /// Returns a state as a server finds it when it starts.
    func load(_ parts: [StatePart], cacheBytes: Int = 1_000) throws -> ChatState {
        let state = ChatState(blocks: BlockCache(reader: self, limit: cacheBytes))
        for part in parts { for part in expanded(part) { try state.load(part) } }
        return state
    }

    /// Returns a sparse state, as a compaction loads it.
    func loadSparse(_ parts: [StatePart]) throws -> ChatState {
        let state = ChatState(blocks: BlockCache(reader: self), isSparse: true)
        for part in parts { try state.load(part) }
        return state
    }

    private func expanded(_ part: StatePart) -> [StatePart] {
        guard case .runs(let channel, var first, let runs) = part else { return [part] }
        return runs.flatMap { run in
            guard case .parts(let parts) = readRun(run.reference), run.fits(parts, channel) else { return [part] }
            defer { first += run.count }
            return RunPart.inChannel(parts, first: first)
        }
    }

    /// Uses stored blocks.
    ///
    /// - Parameter forgets: Whether no body stays in memory that is in a block.
    func adopt(_ blocks: [StoredBlock], in state: ChatState, asOf time: Int64, forgetting forgets: Bool = true) {
        for block in blocks { state.adopt(block, asOf: time) }
        guard forgets else { return }
        for part in 0..<ChatState.bodyParts { state.forgetBodies(part: part, upTo: .max) }
    }
}

extension ChatState {
    var allParts: [StatePart] {
        var parts: [StatePart] = []
        self.parts { parts.append($0) }
        return parts
    }

    /// The bodies that are only on disk do not count.
    var bodySize: Int {
        var survey = BodySurvey()
        for part in 0..<Self.bodyParts { self.survey(part: part, &survey) }
        return survey.size
    }
}
