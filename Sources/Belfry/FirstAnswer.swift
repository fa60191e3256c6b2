import Dispatch
import Synchronization

/// Waits for something that calls back when it is done, and no longer than so many milliseconds: for queues that may hang.
///
/// - Parameter begin: Gets what to call; whether it is called late or never, nobody waits for it any more.
/// - Returns: Whether it was called in time.
func isDone(
    within milliseconds: Int, _ begin: (_ done: @escaping @Sendable () -> Void) -> Void
) async -> Bool {
    await withCheckedContinuation { continuation in
        let answer = FirstAnswer(continuation)
        // A queue of its own: the threads of others may be what hangs.
        DispatchQueue(label: "belfry.patience").asyncAfter(deadline: .now() + .milliseconds(milliseconds)) {
            answer.give(false)
        }
        begin { answer.give(true) }
    }
}

/// One answer, whichever comes first.
private final class FirstAnswer: Sendable {
    private let continuation: Mutex<CheckedContinuation<Bool, Never>?>

    init(_ continuation: CheckedContinuation<Bool, Never>) { self.continuation = Mutex(continuation) }

    func give(_ isDone: Bool) { continuation.withLock { $0.take() }?.resume(returning: isDone) }
}
