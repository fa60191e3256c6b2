import Dispatch

/// Verifies tokens on a separate serial queue.
///
/// A signature check takes microseconds. Queued after the process's other tasks, it could run so late that connecting
/// clients time out.
package final class TokenExecutor: TaskExecutor {
    private let queue: DispatchQueue

    package init(label: String) { queue = DispatchQueue(label: label) }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
