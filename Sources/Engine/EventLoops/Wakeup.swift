import CEpoll
import Glibc

/// Wakes a loop that waits in `epoll_wait`, from any thread.
///
/// Watched edge-triggered: each signal is reported once, so that nobody needs to read it.
final class Wakeup: Sendable {
    let descriptor: FileDescriptor

    /// - Throws: `SystemError` when no descriptor is left.
    init() throws(SystemError) {
        let raw = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard raw >= 0 else { throw .last("eventfd") }
        descriptor = FileDescriptor(owning: raw)
    }

    func signal() {
        var one: UInt64 = 1
        // Cannot block or fail: only after 2^64 signals would the counter be full.
        _ = write(descriptor.rawValue, &one, MemoryLayout<UInt64>.size)
    }
}
