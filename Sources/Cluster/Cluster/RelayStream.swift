import ChatEngine
import DequeModule
import Gateway

/// The commands that a node sends to the writer of a term, as a sequence of pieces.
///
/// One message is under way at a time; what arrives meanwhile leaves with the next one. Pieces are sent again until the
/// writer has them, and the writer takes each once. What the engine waits for bounds the memory, because what it no longer
/// waits for is forgotten.
struct RelayStream {
    /// The size in bytes after which a message is full. Below the limit of a NATS server, 1 MiB.
    static let messageBytes = 384 << 10

    private struct Part {
        let piece: ProtoPiece
        /// The command's.
        let serial: UInt64
    }

    private var parts: Deque<Part> = []
    /// How many of the first parts the writer may have: they keep their numbers.
    private var attempted = 0
    /// The number of pieces that the writer has.
    private var received: UInt64 = 0
    private var isUnderWay = false

    /// Begins again, with the commands that are still to be decided, for another writer.
    mutating func restart(_ commands: [RelayedCommand]) {
        self = RelayStream()
        for command in commands { append(command) }
    }

    mutating func append(_ command: RelayedCommand) {
        var rest = command.encoded[...]
        repeat {
            let bytes = rest.prefix(Self.messageBytes)
            rest = rest.dropFirst(bytes.count)
            parts.append(Part(piece: ProtoPiece(bytes, ends: rest.isEmpty), serial: command.serial))
        } while !rest.isEmpty
    }

    /// Drops commands that nobody waits for any longer and that the writer cannot have received, even in part. Otherwise they
    /// would pile up while the writer is out of reach, and take effect much later.
    ///
    /// - Parameter serial: The last of them.
    mutating func forget(through serial: UInt64) {
        let begun = attempted > 0 ? parts[attempted - 1].serial : 0
        let rest = parts.dropFirst(attempted).filter { $0.serial > serial || $0.serial == begun }
        parts.removeLast(parts.count - attempted)
        parts.append(contentsOf: rest)
    }

    /// The number of pieces that the writer has not confirmed.
    var count: Int { parts.count }

    /// Returns the next message; `nil` while one is under way, or if there is nothing to send.
    mutating func next(from node: NodeID) -> [UInt8]? {
        guard !isUnderWay, !parts.isEmpty else { return nil }
        isUnderWay = true
        var size = 0
        let some = parts.prefix { part in
            defer { size += part.piece.bytes.count + 8 }
            return size == 0 || size + part.piece.bytes.count <= Self.messageBytes
        }
        attempted = max(attempted, some.count)
        return ProtoRelay(from: node, first: received + 1, pieces: some.map(\.piece)).encoded
    }

    /// - Parameter count: The number of pieces that the writer has; `nil` if it did not answer.
    /// - Returns: Whether the writer has taken anything.
    mutating func answered(_ count: UInt64?) -> Bool {
        isUnderWay = false
        guard let count, count > received, count - received <= UInt64(attempted) else { return false }
        parts.removeFirst(Int(count - received))
        attempted -= Int(count - received)
        received = count
        return true
    }
}
