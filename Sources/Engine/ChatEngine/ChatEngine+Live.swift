import ChatDomain
import ChatModel
import Gateway

/// Transient events: they pass through the log in order with durable events, but are not written to it.
extension ChatEngine {
    /// - Parameter admitsNewcomer: As for `change`.
    package func signal(
        _ signal: some Signal, as caller: Caller, admitsNewcomer: Bool = true, answerTo address: ReturnAddress
    ) {
        enter(address, caller, admitsNewcomer, isBrief: type(of: signal).isBrief) { engine in
            if let refusal = engine.refusal(of: caller, admitsNewcomer) {
                engine.refuse(refusal, address)
            } else {
                engine.carryOut(signal, as: caller, address)
            }
            return nil
        }
    }

    /// Ends typing and presence that have expired. The engine schedules this itself while anything can expire.
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
            share(signal, of: caller)
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

    /// Runs once a second while someone is typing. If one pass cannot announce everything that is due, the next one
    /// runs immediately, after the commands that are queued by then.
    func scheduleExpiry() {
        guard !isExpiryScheduled, let next = live.typing.nextEnd else { return }
        isExpiryScheduled = true
        later(next <= max(clock(), state.lastAt) ? 1 : 1_000) { engine in
            engine.isExpiryScheduled = false
            engine.expire()
            engine.scheduleExpiry()
        }
    }
}
