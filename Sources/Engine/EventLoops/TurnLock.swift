import Glibc
import Synchronization

/// Keeps the turns of a loop from overlapping, and knows whether the calling thread is running one.
///
/// A serial queue does the same, but Dispatch allocates memory for every block that it runs synchronously.
final class TurnLock: Sendable {
    private let mutex = Mutex<Void>(())
    /// The thread inside `withLock`; 0 for none.
    private let holder = Atomic<UInt>(0)

    /// Whether the calling thread is inside `withLock`.
    var isHeld: Bool { holder.load(ordering: .relaxed) == UInt(pthread_self()) }

    func withLock(_ body: () -> Void) {
        mutex.withLock { _ in
            holder.store(UInt(pthread_self()), ordering: .relaxed)
            body()
            holder.store(0, ordering: .relaxed)
        }
    }
}
