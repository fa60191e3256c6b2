import ChatEngine
import DequeModule
import Gateway

/// The commands that a node sends to the writer of a term, as a sequence of pieces.
///
/// One message is under way at a time; what arrives meanwhile leaves with the next one. Pieces are sent again until the
/// writer has them, and the writer takes each once. What the engine waits for bounds the memory.
struct RelayStream {
    /// The size in bytes after which a message is full. Below the limit of a NATS server, 1 MiB.
    static let messageBytes = 384 << 10

    private var pieces: Deque<ProtoPiece> = []
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
            pieces.append(ProtoPiece(bytes, ends: rest.isEmpty))
        } while !rest.isEmpty
    }

    /// Returns the next message; `nil` while one is under way, or if there is nothing to send.
    mutating func next(from node: NodeID) -> [UInt8]? {
        guard !isUnderWay, !pieces.isEmpty else { return nil }
        isUnderWay = true
        var size = 0
        let some = pieces.prefix { piece in
            defer { size += piece.bytes.count + 8 }
            return size == 0 || size + piece.bytes.count <= Self.messageBytes
        }
        return ProtoRelay(from: node, first: received + 1, pieces: Array(some)).encoded
    }

    /// - Parameter count: The number of pieces that the writer has; `nil` if it did not answer.
    /// - Returns: Whether the writer has taken anything.
    mutating func answered(_ count: UInt64?) -> Bool {
        isUnderWay = false
        guard let count, count > received, count - received <= UInt64(pieces.count) else { return false }
        pieces.removeFirst(Int(count - received))
        received = count
        return true
    }
}
