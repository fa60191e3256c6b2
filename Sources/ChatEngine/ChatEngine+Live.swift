import ChatDomain
import Dispatch
import Gateway
import WireProtocol

/// What is of the moment: it passes the log in order with the events, and is not written down.
extension ChatEngine {
    /// - Parameter admitsNewcomer: As for `change`.
    package func signal(
        _ signal: some Signal, as caller: Caller, admitsNewcomer: Bool = true, answerTo address: ReturnAddress
    ) {
        enter(address, caller, admitsNewcomer) { engine in
            if let refusal = engine.refusal(of: caller, admitsNewcomer) {
                engine.refuse(refusal, address)
            } else {
                engine.carryOut(signal, as: caller, address)
            }
            return nil
        }
    }

    /// Ends what nobody renewed; the engine does so by itself while there is something to end.
    package func expireNow() {
        post {
            $0.expire()
            $0.depart()
        }
    }

    private func carryOut(_ signal: some Signal, as caller: Caller, _ address: ReturnAddress) {
        let context = context(caller)
        do throws(Rejection) {
            let (response, effects) = try signal.carryOut(in: state, &live, context)
            work.charge(effects.reduce(0) { $0 + $1.cost })
            guard !effects.isEmpty else { return answer(.success(response), to: address) }
            log.mark(Outcome(effects: effects, answer: .command(address, .success(response))))
            scheduleExpiry()
        } catch {
            refuse(error, address)
        }
    }

    private func expire() {
        let effects = live.expire(in: state, at: max(clock(), state.lastAt))
        if !effects.isEmpty { log.mark(Outcome(effects: effects, answer: nil)) }
    }

    /// Once a second while someone writes; where one pass does not tell all that is due, the next comes at once, behind the
    /// commands that wait by then.
    private func scheduleExpiry() {
        guard !isExpiryScheduled, let next = live.typing.nextEnd else { return }
        isExpiryScheduled = true
        later(next <= max(clock(), state.lastAt) ? 1 : 1_000) { [weak self] in
            guard let self else { return }
            isExpiryScheduled = false
            expire()
            scheduleExpiry()
        }
    }
}
