import Glibc
import Synchronization

/// How a waiting loop gets small work done without waking up: waking a thread costs more than a few writes.
///
///     beginWait ─ asleep ┬ lend: the posting loop, after its own turn, runs a turn of this one on its thread
///                        └ post, or an event: the loop's own thread
///
/// `TurnLock` keeps turns of one loop from overlapping. The posting loop's thread holds no lock while it runs a borrowed
/// turn, so loops cannot wait for each other in a circle.
extension EventLoop {
    /// Like `post`, but if this loop is waiting and the caller is another loop, the caller runs the turn after its own.
    ///
    /// - Parameter work: If `isLent`, it must be short and leave longer work to a `post`.
    package func lend(_ work: @escaping @Sendable () -> Void) {
        guard enqueue(work) else { return }
        if let borrower = Self.current { borrower.borrowed.append(self) } else { wakeup.signal() }
    }

    /// Runs the borrowed turns. On the loop's thread, outside its turns.
    func runBorrowed() {
        while let loop = borrowed.popLast() { loop.runLentTurn() }
    }

    private func runLentTurn() {
        // If its own thread has woken up, that runs the posts before it waits again, and may be in a long turn now.
        guard mailbox.withLock(\.isWaiting) else { return }
        var (isUnfinished, hasTimers) = (false, false)
        turns.withLock {
            isLent = true
            turn { runPosts() }
            isLent = false
            (isUnfinished, hasTimers) = (needsTurn, timers.hasPending)
        }
        let mustWake = mailbox.withLock { mailbox in
            guard mailbox.isWaiting else { return false }
            mailbox.isAsleep = mailbox.posts.isEmpty && !isUnfinished && !(mailbox.waitsForever && hasTimers)
            return !mailbox.isAsleep
        }
        if mustWake { wakeup.signal() }
    }

    // MARK: Waiting

    /// From now on, a post wakes the loop or has a turn run for it.
    ///
    /// - Returns: How long to wait: 0 if there are posts already.
    func beginWait(_ longest: Int32) -> Int32 {
        mailbox.withLock { mailbox in
            guard longest != 0, mailbox.posts.isEmpty else { return 0 }
            mailbox.isWaiting = true
            mailbox.isAsleep = true
            mailbox.waitsForever = longest < 0
            return longest
        }
    }

    func endWait() {
        mailbox.withLock { mailbox in
            mailbox.isWaiting = false
            mailbox.isAsleep = false
        }
    }

    // MARK: The loop of a thread

    /// The loop whose thread this is; nil on other threads.
    static var current: EventLoop? {
        get { pthread_getspecific(key).map { Unmanaged<EventLoop>.fromOpaque($0).takeUnretainedValue() } }
        set { pthread_setspecific(key, newValue.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) }) }
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let result = pthread_key_create(&key, nil)
        precondition(result == 0, "the process has created all of its thread keys")
        return key
    }()
}
