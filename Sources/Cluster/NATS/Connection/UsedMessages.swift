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

    /// Messages of cnats, which may be freed on any thread.
    private struct Kept: @unchecked Sendable {
        var pointers: [OpaquePointer] = []
        var bytes = 0

        mutating func free() {
            for pointer in pointers { natsMsg_Destroy(pointer) }
            pointers.removeAll(keepingCapacity: true)
            bytes = 0
        }
    }

    private let kept = Mutex(Kept())

    deinit { kept.withLock { $0.free() } }

    func free(_ pointer: OpaquePointer, bytes: Int) {
        // A pointer is not sendable, but its number is.
        let address = UInt(bitPattern: pointer)
        kept.withLock { kept in
            guard let pointer = OpaquePointer(bitPattern: address) else { return }
            kept.pointers.append(pointer)
            kept.bytes += bytes
            if kept.pointers.count >= Self.countLimit || kept.bytes >= Self.byteLimit { kept.free() }
        }
    }
}
#endif
