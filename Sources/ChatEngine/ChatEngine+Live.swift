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
            work.charge(effects.count * WorkCost.effect)
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

    /// Once a second while someone writes: each look is a pass over all who do.
    private func scheduleExpiry() {
        guard !isExpiryScheduled, !live.typing.isEmpty else { return }
        isExpiryScheduled = true
        later(1_000) { [weak self] in
            guard let self else { return }
            isExpiryScheduled = false
            expire()
            scheduleExpiry()
        }
    }
}
