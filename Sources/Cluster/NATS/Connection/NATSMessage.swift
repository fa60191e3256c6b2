#if Cluster
import CNats

/// A received message.
///
/// It is touched on the connection's queue only, to which a reply moves from cnats's thread, because reading a header parses
/// all of them.
final class NATSMessage: @unchecked Sendable {
    private let pointer: OpaquePointer
    private let used: UsedMessages

    /// Takes ownership.
    init(_ pointer: OpaquePointer, _ used: UsedMessages) {
        self.pointer = pointer
        self.used = used
    }

    deinit { used.free(pointer, bytes: count) }

    var subject: String { natsMsg_GetSubject(pointer).map { String(cString: $0) } ?? "" }

    var reply: String? { natsMsg_GetReply(pointer).map { String(cString: $0) } }

    var count: Int { max(0, Int(natsMsg_GetDataLength(pointer))) }

    var bytes: [UInt8] {
        guard count > 0, let start = natsMsg_GetData(pointer) else { return [] }
        return [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }

    /// - Parameter name: Case matters.
    func header(_ name: String) -> String? {
        var value: UnsafePointer<CChar>?
        guard natsMsgHeader_Get(pointer, name, &value) == NATS_OK else { return nil }
        return value.map { String(cString: $0) }
    }

    /// The status of a message from a server rather than a client: 503 means that nobody serves the subject.
    var status: String? { count == 0 ? header("Status") : nil }

    /// The number in the stream of a message that JetStream sends.
    var sequence: UInt64? { header("Nats-Sequence").flatMap { UInt64($0) } }
}

/// A message to send.
struct NATSPublication: Sendable {
    let subject: String
    var headers: [(name: String, value: String)] = []
    let bytes: [UInt8]

    /// The approximate memory it needs while it waits.
    var size: Int { bytes.count + 512 }
}
#endif
