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
        let bodies = HistoryStore<Never>(
            store: { bodies in
                self.blocks.withLock { blocks in
                    blocks.append(.bodies(bodies))
                    return BlockReference(file: 1, offset: UInt64(blocks.count - 1), size: 1)
                }
            }, keeps: { _ in true }, stored: { block, _ in stored.append(block) },
            storeRun: { _ in preconditionFailure("the tests have few messages") })
        state.parts(storing: bodies) { parts.append($0) }
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
