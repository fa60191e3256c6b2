import ChatModel
import Gateway

/// The answers to commands whose frames wait too long for the cluster's log.
struct LateAnswers {
    /// Answered already, and not published yet.
    fileprivate var frames: Set<UInt64> = []
    /// The last frame that was published.
    fileprivate var lastPublished: UInt64 = 0

    /// - Returns: Whether the frame's command is still to be answered.
    mutating func publish(_ frame: UInt64) -> Bool {
        guard frame > 0 else { return true }
        lastPublished = frame
        return frames.isEmpty || frames.remove(frame) == nil
    }

    /// - Returns: Whether to answer the frame's command now.
    fileprivate mutating func giveUp(_ frame: UInt64) -> Bool {
        frame > lastPublished && frames.insert(frame).inserted
    }
}

extension Publisher {
    /// Answers commands with 1041: their frames may still be stored, and are published then. Callable from any queue.
    ///
    /// A request with an idempotency key waits on: a repeated one must get the real answer, not be carried out again.
    package func answerLate(_ outcomes: [Outcome]) {
        queue.async { [self] in
            for outcome in outcomes {
                guard case .command(let address, _)? = outcome.answer, address.claim == nil,
                    late.giveUp(outcome.frame)
                else { continue }
                let answer = Answer.failure(Rejection(.outcomeUnknown))
                switch address.recipient {
                case .connection(let connection, let command):
                    ports[connection.loop].deliver([.answered(connection, command: command, answer)])
                case .handler(let handle): handle(answer)
                // The other node watches the time itself.
                case .node: break
                }
            }
        }
    }
}
