import Dispatch
import Gateway
import Journal
import Replication

/// Lets other nodes copy this node's journal, one at a time, while it serves clients.
///
/// During a copy the journal is not compacted, and the log keeps what the other node will need after it. The copy ends when
/// the other node says so, or after 20 s without a request. Confined to `queue`.
package final class CopyServer: @unchecked Sendable {
    package enum Event: Equatable, Sendable {
        case began(NodeID, files: Int, bytes: Int)
        /// A piece of this many bytes was sent.
        case sent(bytes: Int)
        /// - Parameter isComplete: Whether the other node has everything; otherwise it went away.
        case ended(NodeID, isComplete: Bool)
        /// The journal cannot be read.
        case failed(JournalError)
    }

    /// A copy under way.
    private struct Copy {
        let id: UInt64
        let node: NodeID
        let pieces: JournalPieces
        /// Keeps the journal from being compacted.
        let lock: FileLock
        var lastRequest: UInt64
        /// When the last piece may be followed by another.
        var free: UInt64
    }

    private struct Held {
        let node: NodeID
        let frame: UInt64
        /// When the node is given up.
        let until: UInt64
    }

    /// A copy is given up after this time without a request, in nanoseconds.
    private let idleNanoseconds: UInt64
    /// How long the log waits for a node whose copy is complete, in nanoseconds. It reads the copy before it follows the log.
    private static let holdNanoseconds: UInt64 = 600_000_000_000
    /// How long a piece occupies the node: 32 MiB/s, so that its clients and the log's messages get through.
    private static let pauseNanoseconds: UInt64 = 8_000_000
    private static let tickMilliseconds = 500
    private static let heldLimit = 16

    private let folder: String
    private let disk: any Disk
    private let node: NodeID
    private let bus: any Bus
    private let queue = DispatchQueue(label: "belfry.cluster.copies")
    private let hold: @Sendable (UInt64?) -> Void
    private let report: @Sendable (Event) -> Void
    private var service: (any BusSubscription)?
    private var copy: Copy?
    /// Nodes whose copies are complete and that do not follow the log yet.
    private var held: [Held] = []
    private var lastID: UInt64 = 0

    /// - Parameters:
    ///   - folder: The journal's folder.
    ///   - hold: Holds the log's frames after a number, or none. Callable from any queue.
    ///   - report: Called on the server's queue.
    package init(
        _ folder: String, of node: NodeID, _ bus: any Bus, idleMilliseconds: Int = 20_000,
        hold: @escaping @Sendable (UInt64?) -> Void, report: @escaping @Sendable (Event) -> Void
    ) {
        self.folder = folder
        disk = PosixDisk(existing: folder)
        self.node = node
        self.bus = bus
        idleNanoseconds = UInt64(idleMilliseconds) * 1_000_000
        self.hold = hold
        self.report = report
    }

    /// Callable from any queue, as all methods that are not private.
    package func start() {
        let service = bus.serve(Subjects.copy(of: node)) { [weak self] message, reply in
            guard let self, let reply, let (sender, question) = CopyQuestion.decoded(message) else { return }
            queue.async { self.receive(question, from: sender, reply) }
        }
        queue.async { self.service = service }
    }

    package func stop() {
        queue.async { [self] in
            service = nil
            copy = nil
            held = []
        }
    }

    /// Reports which nodes follow the log, so that nothing need be held for them any more. A later process of a node that copied
    /// has the copy, too.
    package func heard(_ nodes: [NodeID]) {
        queue.async { [self] in
            let count = held.count
            held.removeAll { held in nodes.contains { $0.name == held.node.name && $0.start >= held.node.start } }
            if held.count < count { updateHold() }
        }
    }

    // MARK: On `queue`

    private func receive(_ question: CopyQuestion, from sender: NodeID, _ reply: @escaping @Sendable ([UInt8]) -> Void)
    {
        let now = DispatchTime.now().uptimeNanoseconds
        switch question {
        case .begin: reply(begin(for: sender, at: now).encoded)
        case .read(let id, let file, let offset):
            guard var copy, copy.id == id, copy.node == sender else { return reply(Self.over) }
            copy.lastRequest = now
            let free = max(now, copy.free)
            copy.free = free + Self.pauseNanoseconds
            self.copy = copy
            queue.asyncAfter(deadline: DispatchTime(uptimeNanoseconds: free)) { self.send(id, file, offset, reply) }
        case .end(let id):
            guard let copy, copy.id == id, copy.node == sender else { return reply(Self.over) }
            held.removeAll { $0.node.name == sender.name }
            held.append(Held(node: sender, frame: copy.pieces.last, until: now + Self.holdNanoseconds))
            if held.count > Self.heldLimit { held.removeFirst() }
            end(copy, isComplete: true)
            reply(Self.over)
        }
    }

    private static var over: [UInt8] { CopyAnswer.refusal(.noSuchCopy).encoded }

    private func begin(for sender: NodeID, at now: UInt64) -> CopyAnswer {
        // A node that begins again has lost what it had.
        if let copy, copy.node.name == sender.name { end(copy, isComplete: false) }
        guard copy == nil else { return .refusal(.busy) }
        do throws(JournalError) {
            let lock = try JournalError.wrapping { () throws(DiskError) in
                try FileLock(folder + "/" + Compaction.lockName)
            }
            guard let lock else { return .refusal(.busy) }
            let pieces = try JournalPieces(of: disk)
            guard !pieces.files.isEmpty, pieces.files.count <= CopyLimits.files else { return .refusal(.failed) }
            lastID += 1
            copy = Copy(id: lastID, node: sender, pieces: pieces, lock: lock, lastRequest: now, free: now)
            held.removeAll { $0.node.name == sender.name }
            updateHold()
            report(.began(sender, files: pieces.files.count, bytes: pieces.files.reduce(0) { $0 + $1.size }))
            watch(lastID)
            return .list(copy: lastID, pieces)
        } catch {
            report(.failed(error))
            return .refusal(.failed)
        }
    }

    private func send(_ id: UInt64, _ file: Int, _ offset: Int, _ reply: @Sendable ([UInt8]) -> Void) {
        guard let copy, copy.id == id, copy.pieces.files.indices.contains(file) else { return reply(Self.over) }
        let (name, size) = (copy.pieces.files[file].name, copy.pieces.files[file].size)
        let count = min(CopyLimits.pieceBytes, size - offset)
        guard offset >= 0, count > 0 else { return reply(Self.over) }
        do throws(DiskError) {
            let bytes = try disk.read(name, at: offset, upTo: count)
            report(.sent(bytes: bytes.count))
            reply(CopyAnswer.piece(bytes).encoded)
        } catch {
            report(.failed(.disk(error)))
            reply(CopyAnswer.refusal(.failed).encoded)
        }
    }

    private func updateHold() { hold((held.map(\.frame) + (copy.map { [$0.pieces.last] } ?? [])).min()) }

    /// Ends a copy that nobody continues, and stops holding frames for a node that never came.
    private func watch(_ id: UInt64) {
        queue.asyncAfter(deadline: .now() + .milliseconds(Self.tickMilliseconds)) { [weak self] in
            guard let self, lastID == id else { return }
            let now = DispatchTime.now().uptimeNanoseconds
            if let copy, now - copy.lastRequest >= idleNanoseconds { end(copy, isComplete: false) }
            if held.contains(where: { now >= $0.until }) {
                held.removeAll { now >= $0.until }
                updateHold()
            }
            if copy != nil || !held.isEmpty { watch(id) }
        }
    }

    private func end(_ copy: Copy, isComplete: Bool) {
        self.copy = nil
        updateHold()
        report(.ended(copy.node, isComplete: isComplete))
    }
}
