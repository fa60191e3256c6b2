import API
import ChatEngine
import ChatModel
import Gateway
import WireProtocol

/// Idempotency keys in a cluster: the node that decides executes each request once, and every node keeps the answer, which
/// travels with the command's outcome.
extension IdempotentRequests {
    /// What the answer to a registered request is kept under.
    func claim(_ name: IdempotencyStore.Name, _ request: RequestFingerprint, subject: UInt64?) -> AnswerClaim {
        AnswerClaim(request: KeptAnswer(name, request, subject: subject).encoded) { answer in
            let kept = StoredResponse(answer, WireEncoder())
            return kept.isLasting ? KeptAnswer(name, request, subject: subject, answer: kept).encoded : nil
        }
    }

    /// Carries out another node's command, unless its key was used before.
    ///
    /// - Parameter now: Milliseconds since 1970.
    package func execute(
        _ command: RelayedCommand, _ remote: RemoteCommand, by commands: CommandTable, at now: Int64
    ) {
        let address = ReturnAddress(remote, guestOrigin: command.guestOrigin)
        guard let bytes = command.claim else { return commands.execute(command, answerTo: address) }
        guard let claimed = KeptAnswer(bytes) else {
            return commands.refuse(Rejection(.internal, "an unreadable idempotency key"), relayedBy: address)
        }
        let (name, request, subject) = (claimed.name, claimed.request, claimed.subject)
        do throws(Rejection) {
            // The other node has not applied the outcome yet. A retry finds it there.
            if try begin(name, request, subject: subject, at: now) != nil { throw Rejection(.requestUnderWay) }
        } catch {
            return commands.refuse(error, relayedBy: address)
        }
        let abandoned: @Sendable () -> Void = {
            self.cancel(name)
            remote.abandoned()
        }
        let kept = RemoteCommand(remote.origin, term: remote.term, abandoned: abandoned) { answer in
            self.finish(name, with: StoredResponse(answer, WireEncoder()), at: now)
            remote.done(answer)
        }
        commands.execute(
            command,
            answerTo: ReturnAddress(
                kept, guestOrigin: command.guestOrigin, claim: claim(name, request, subject: subject)))
    }

    /// Keeps the answer to a request that some node received.
    package func keep(_ bytes: [UInt8], at now: Int64) {
        guard let kept = KeptAnswer(bytes), kept.answer != nil || kept.isDropped else { return }
        // Registers it, unless this node received the request itself.
        _ = try? begin(kept.name, kept.request, subject: kept.subject, at: now)
        finish(kept.name, with: kept.answer ?? .result([]), isTooLong: kept.isDropped, at: now)
    }
}
