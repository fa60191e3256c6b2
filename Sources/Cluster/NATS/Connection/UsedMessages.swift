#if Cluster
import CNats
import Synchronization

/// Messages that are no longer needed.
///
/// cnats frees each message on another thread, whose wake-up costs more than the message. So they are kept until there are
/// some, and that thread wakes once for all of them.
final class UsedMessages: Sendable {
    private static let countLimit = 64
    private static let byteLimit = 1 << 20

    private struct Kept {
        /// The messages' addresses: pointers cannot be shared between threads, but cnats frees a message on any.
        var addresses: [UInt] = []
        var bytes = 0

        mutating func free() {
            for address in addresses { natsMsg_Destroy(OpaquePointer(bitPattern: address)) }
            addresses.removeAll(keepingCapacity: true)
            bytes = 0
        }
    }

    private let kept = Mutex(Kept())

    deinit { kept.withLock { $0.free() } }

    func free(_ message: OpaquePointer, bytes: Int) {
        let address = UInt(bitPattern: message)
        kept.withLock { kept in
            kept.addresses.append(address)
            kept.bytes += bytes
            if kept.addresses.count >= Self.countLimit || kept.bytes >= Self.byteLimit { kept.free() }
        }
    }
}
#endif
