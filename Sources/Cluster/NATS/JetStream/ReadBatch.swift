#if Cluster
import Replication

/// Gathers the messages that one Direct Get request returns.
///
/// Touched on the connection's queue only.
final class ReadBatch: @unchecked Sendable {
    enum Outcome: Equatable {
        case entries([LogEntry])
        /// The replica that answered does not have the message.
        case nothing
        case unreachable
    }

    private static let byteLimit = 8 << 20
    private static let countLimit = 4_096

    private let first: UInt64
    private var entries: [LogEntry] = []
    private var isUnreachable = false

    init(from first: UInt64) {
        precondition(first > 0, "messages are numbered from 1")
        self.first = first
    }

    func request(byteLimit: Int) -> String {
        let bytes = min(max(byteLimit, 1), Self.byteLimit)
        return "{\"seq\":\(first),\"batch\":\(Self.countLimit),\"max_bytes\":\(bytes)}"
    }

    /// - Returns: Whether the batch is complete.
    func append(_ reply: NATSReply) -> Bool {
        guard case .message(let message) = reply else {
            isUnreachable = true
            return true
        }
        // 204 ends a batch; 404 means that there is no such message.
        guard message.status == nil, let number = message.sequence, number == first &+ UInt64(entries.count) else {
            return true
        }
        entries.append(LogEntry(number: number, message: message.bytes))
        return entries.count == Self.countLimit
    }

    /// Messages that arrived in order are good even if later ones are missing.
    var result: Outcome {
        if !entries.isEmpty { return .entries(entries) }
        return isUnreachable ? .unreachable : .nothing
    }
}
#endif
