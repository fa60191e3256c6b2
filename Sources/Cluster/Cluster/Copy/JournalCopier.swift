import Gateway
import Journal
import Replication

/// Why a copy from a node failed.
package enum CopyFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// The node is not there or does not answer.
    case silence
    case refused(CopyRefusal)
    /// An answer that no node sends.
    case malformed
    /// The copy ends with another frame than announced.
    case incomplete(last: UInt64, expected: UInt64)
    case journal(JournalError)

    package var description: String {
        switch self {
        case .silence: "it does not answer"
        case .refused(.busy): "it serves another copy or makes a snapshot"
        case .refused(.failed): "it cannot read its journal"
        case .refused(.noSuchCopy): "it has given up the copy"
        case .malformed: "its answer cannot be read"
        case .incomplete(let last, let expected): "the copy ends with frame \(last) instead of \(expected)"
        case .journal(let error): "\(error)"
        }
    }

    /// Whether this node's own disk has failed, so that no other node can help.
    package var isOwnDisk: Bool {
        if case .journal(.disk) = self { true } else { false }
    }
}

/// Copies another node's journal over the bus into an empty folder: one piece after the other, each with a checksum.
package struct JournalCopier: Sendable {
    private static let milliseconds = 5_000
    /// The peer may have to read a whole segment first.
    private static let beginMilliseconds = 30_000
    private static let attempts = 3

    private let node: NodeID
    private let bus: any Bus

    /// - Parameter node: This process.
    package init(_ node: NodeID, _ bus: any Bus) {
        self.node = node
        self.bus = bus
    }

    /// Copies a node's journal and checks it.
    ///
    /// - Parameters:
    ///   - target: An empty folder. After an error it contains a part of the copy.
    ///   - began: Called with the size of the copy in bytes once the node serves it.
    /// - Returns: The number of the last frame.
    package func copy(
        from peer: NodeID, to target: any Disk, salt: UInt64, began: @Sendable (_ bytes: Int) -> Void
    ) async throws(CopyFailure) -> UInt64 {
        let (copy, pieces) = try await begin(peer)
        began(pieces.files.reduce(0) { $0 + $1.size })
        for (index, file) in pieces.files.enumerated() {
            try await fetch(file, index, of: copy, from: peer, to: target)
        }
        try Self.wrapping { () throws(DiskError) in try target.syncFolder() }
        // Before the checks, which take a while. The peer keeps the log's frames for this node.
        _ = await ask(.end(copy: copy), peer, milliseconds: Self.milliseconds)
        let last: UInt64
        do throws(JournalError) { last = try JournalPieces.verify(target, salt: salt) } catch { throw .journal(error) }
        guard last == pieces.last else { throw .incomplete(last: last, expected: pieces.last) }
        return last
    }

    private func begin(_ peer: NodeID) async throws(CopyFailure) -> (copy: UInt64, JournalPieces) {
        switch try await answer(.begin, peer, milliseconds: Self.beginMilliseconds) {
        case .list(let copy, let pieces): return (copy, pieces)
        case .refusal(let refusal): throw .refused(refusal)
        case .piece: throw .malformed
        }
    }

    private func fetch(
        _ file: JournalPieces.File, _ index: Int, of copy: UInt64, from peer: NodeID, to target: any Disk
    ) async throws(CopyFailure) {
        let output = try Self.wrapping { () throws(DiskError) in try target.create(file.name) }
        var offset = 0
        while offset < file.size {
            let bytes = try await piece(.read(copy: copy, file: index, offset: offset), peer)
            guard bytes.count <= file.size - offset else { throw .malformed }
            let start = offset
            try Self.wrapping { () throws(DiskError) in try output.write(bytes, at: start) }
            offset += bytes.count
        }
        try Self.wrapping { () throws(DiskError) in try output.sync() }
    }

    /// Asks again after silence and for pieces that arrive damaged.
    private func piece(_ question: CopyQuestion, _ peer: NodeID) async throws(CopyFailure) -> [UInt8] {
        var failure = CopyFailure.silence
        for _ in 0..<Self.attempts {
            do throws(CopyFailure) {
                switch try await answer(question, peer, milliseconds: Self.milliseconds) {
                case .piece(let bytes): return bytes
                case .refusal(let refusal): throw CopyFailure.refused(refusal)
                case .list: throw CopyFailure.malformed
                }
            } catch {
                if case .refused = error { throw error }
                failure = error
            }
        }
        throw failure
    }

    private func answer(
        _ question: CopyQuestion, _ peer: NodeID, milliseconds: Int
    ) async throws(CopyFailure) -> CopyAnswer {
        guard case .reply(let bytes) = await ask(question, peer, milliseconds: milliseconds) else { throw .silence }
        guard let answer = CopyAnswer(bytes) else { throw .malformed }
        return answer
    }

    private func ask(_ question: CopyQuestion, _ peer: NodeID, milliseconds: Int) async -> BusReply {
        await withCheckedContinuation { continuation in
            bus.request(question.encoded(from: node), to: Subjects.copy(of: peer), milliseconds: milliseconds) {
                continuation.resume(returning: $0)
            }
        }
    }

    private static func wrapping<Value>(
        _ body: () throws(DiskError) -> Value
    ) throws(CopyFailure) -> Value {
        do throws(DiskError) { return try body() } catch { throw .journal(.disk(error)) }
    }
}
