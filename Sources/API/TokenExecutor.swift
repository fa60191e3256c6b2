import Dispatch

/// Runs the checks of tokens on a queue of their own, one after the other.
///
/// A signature takes microseconds; waiting behind someone else's tasks would let newcomers run out of time.
package final class TokenExecutor: TaskExecutor {
    private let queue: DispatchQueue

    package init(label: String) { queue = DispatchQueue(label: label) }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
