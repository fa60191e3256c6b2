/// Finds the last frame that any node may have acknowledged, for reads that must see it.
extension Replica {
    /// Somebody who waits until this node has read the log up to a message, and so knows whether it still is the writer.
    struct Question {
        let goal: UInt64
        let done: @Sendable (UInt64?) -> Void
    }

    /// How long a question waits for the log. The node that asks goes on without an answer after a second.
    private static var questionMilliseconds: Int { 800 }

    /// When the last request was sent that the log has answered, for a writer whose term only ends after a lease from then on.
    var confirmed: Int64 {
        hasReleased ? clock() - Election.lease : max(storeConfirmed, log?.confirmed ?? storeConfirmed)
    }

    /// Whether the log has answered so recently that no other node can decide yet. Callable from any queue.
    package var isTermCurrent: Bool { published.withLock { clock() - $0.confirmed < Election.lease } }

    /// Finds the last frame that any node may have acknowledged, if this node is the writer. On `queue`.
    ///
    /// After a pause, for example of the whole process, this asks the log first.
    ///
    /// - Parameters:
    ///   - asksLog: Whether to ask the log in any case, because a client has seen more than this node.
    ///   - done: Called once, on `queue`; with `nil` if the log does not answer in time or another node is the
    ///     writer. Not called once the replica has ended.
    package func findLastFrame(asksLog: Bool = false, _ done: @escaping @Sendable (UInt64?) -> Void) {
        queue.check()
        guard !hasEnded, let log else { return }
        guard asksLog || clock() - confirmed >= Election.lease else { return log.findLastFrame { done($0) } }
        questionCount += 1
        let (number, asked) = (questionCount, clock())
        // Until the log answers, no message is the goal.
        questions[number] = Question(goal: .max, done: done)
        queue.after(milliseconds: Self.questionMilliseconds) { self.questions.removeValue(forKey: number)?.done(nil) }
        store.bounds { result in
            self.queue.async {
                guard case .success(let bounds) = result else { return }
                self.heardBounds(bounds, asked: asked)
                if let question = self.questions[number] {
                    self.questions[number] = Question(goal: bounds.last, done: question.done)
                }
                self.proceed()
            }
        }
    }

    func heardBounds(_ bounds: LogBounds, asked: Int64) {
        storeHeard = clock()
        confirming = confirming ?? (goal: bounds.last, asked: asked)
        confirm()
        learn(upTo: bounds.last)
    }

    /// Only what this node has read tells whether another term began before the question.
    func confirm() {
        guard let (goal, asked) = confirming, let reader, reader.next > goal else { return }
        storeConfirmed = max(storeConfirmed, asked)
        confirming = nil
    }

    /// Answers those who waited for what this node has read now.
    func answerQuestions() {
        confirm()
        guard !questions.isEmpty, let reader else { return }
        for number in questions.keys.sorted() {
            guard let question = questions[number], question.goal < reader.next else { continue }
            questions[number] = nil
            guard election.role == .writer, let log else { question.done(nil); continue }
            log.findLastFrame { question.done($0) }
        }
    }
}
