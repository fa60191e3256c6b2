import Dispatch
import Synchronization

/// Waits for a callback, at most for this many milliseconds, because the queue may hang.
///
/// - Parameter begin: Receives the callback. Calls after the timeout are ignored.
/// - Returns: Whether the callback came in time.
func waitForCallback(
    within milliseconds: Int, _ begin: (_ done: @escaping @Sendable () -> Void) -> Void
) async -> Bool {
    await withCheckedContinuation { continuation in
        let result = FirstResult(continuation)
        // Use a separate queue, because the shared threads may be what hangs.
        DispatchQueue(label: "belfry.patience").asyncAfter(deadline: .now() + .milliseconds(milliseconds)) {
            result.deliver(false)
        }
        begin { result.deliver(true) }
    }
}

/// Delivers only the first result.
private final class FirstResult: Sendable {
    private let continuation: Mutex<CheckedContinuation<Bool, Never>?>

    init(_ continuation: CheckedContinuation<Bool, Never>) { self.continuation = Mutex(continuation) }

    func deliver(_ isInTime: Bool) { continuation.withLock { $0.take() }?.resume(returning: isInTime) }
}
