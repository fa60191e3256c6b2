import ChatModel
import Dispatch
import Synchronization
import Transport

/// Removes deleted users from the answers that the HTTP API keeps (`PR1`), as many at a time as are known.
final class AnswerEraser: Sendable {
    private struct Work {
        /// Deletions that the chat has not completed.
        var began: [UserID: IdempotentRequests.Mark] = [:]
        var next: [IdempotentRequests.Erasure] = []
    }

    private let answers: IdempotentRequests
    private let work = Mutex(Work())
    private let queue = DispatchQueue(label: "belfry.erasures.answers")

    init(_ answers: IdempotentRequests) { self.answers = answers }

    /// The user is gone, although messages may name them until `end`; callable from any queue.
    func begin(_ user: UserID) {
        let mark = answers.mark
        work.withLock { work in
            work.began[user] = mark
            work.next.append(IdempotentRequests.Erasure(of: user, began: mark))
        }
        queue.async { self.erase() }
    }

    /// Nothing names the user any longer; callable from any queue.
    func end(_ user: UserID) {
        let mark = answers.mark
        work.withLock { work in
            let began = work.began.removeValue(forKey: user)
            work.next.append(IdempotentRequests.Erasure(of: user, began: began, ended: mark))
        }
        queue.async { self.erase() }
    }

    /// - Parameter done: Called on the eraser's queue after all that has begun or ended so far.
    func whenErased(_ done: @escaping @Sendable () -> Void) { queue.async(execute: done) }

    private func erase() {
        let erasures = work.withLock { work in
            defer { work.next = [] }
            return work.next
        }
        if !erasures.isEmpty { answers.erase(erasures) }
    }
}
