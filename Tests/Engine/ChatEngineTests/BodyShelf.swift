import ChatDomain
import Synchronization

/// Bodies that an engine finds on disk, and a disk that answers when the test says so.
final class BodyShelf: BlockReader {
    private let blocks = Mutex<[BlockContents]>([])
    private let waiting = Mutex<[@Sendable () -> Void]>([])

    func read(_ reference: BlockReference) -> BlockContents { blocks.withLock { $0[Int(reference.offset)] } }
    func readRun(_ reference: BlockReference) -> RunContents { .damaged }
    func retain(_ files: Set<UInt64>) -> String? { nil }

    func store(_ state: ChatState) -> (parts: [StatePart], blocks: [StoredBlock]) {
        var (parts, stored): ([StatePart], [StoredBlock]) = ([], [])
        var runs: [[StatePart]] = []
        let history = HistoryStore<Never>(
            store: { bodies in
                self.blocks.withLock { blocks in
                    blocks.append(.bodies(bodies))
                    return BlockReference(file: 1, offset: UInt64(blocks.count - 1), size: 1)
                }
            }, keeps: { _ in true }, stored: { block, _ in stored.append(block) },
            storeRun: { run in
                runs.append(run)
                return BlockReference(file: 2, offset: UInt64(runs.count - 1), size: 1)
            })
        state.parts(storing: history) { part in
            guard case .runs(_, var first, let list) = part else { return parts.append(part) }
            // As a starting server reads them.
            for run in list {
                parts += RunPart.inChannel(runs[Int(run.reference.offset)], first: first)
                first += run.count
            }
        }
        return (parts, stored)
    }

    func replaceAll(by contents: BlockContents) {
        blocks.withLock { blocks in blocks = blocks.map { _ in contents } }
    }

    // MARK: The disk

    func load(_ body: @escaping @Sendable () -> Void) { waiting.withLock { $0.append(body) } }
    var waitingCount: Int { waiting.withLock(\.count) }

    func answer() {
        let all = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for body in all { body() }
    }
}
