import ChatDomain
import ChatModel
import Gateway
import Journal

/// Carries out commands that change the chat, on `queue`.
extension ChatEngine {
    /// - Returns: The next turn, if the command takes several.
    func begin(
        _ change: some Change, as caller: Caller, _ admitsNewcomer: Bool, _ address: ReturnAddress
    ) -> Rest? {
        if let refusal = refusal(of: caller, admitsNewcomer) {
            refuse(refusal, address)
            return nil
        }
        guard type(of: change).surveysChannels, let user = caller.user else {
            return carryOut(change, as: caller, address)
        }
        return carryOut(change, as: caller, address, after: ChannelSurvey(of: user, in: state))
    }

    /// - Returns: The next turn, while there are channels to look at first.
    private func carryOut(
        _ change: some Change, as caller: Caller, _ address: ReturnAddress, after survey: ChannelSurvey
    ) -> Rest? {
        guard survey.advance(in: state, work) else {
            metrics.slices.increment()
            return again(change, as: caller, address) { $0.carryOut(change, as: caller, address, after: survey) }
        }
        return carryOut(change, as: caller, address, survey)
    }

    /// Goes on with a command in a later turn, unless it may not be carried out any more.
    private func again(
        _ change: some Change, as caller: Caller, _ address: ReturnAddress,
        after missing: MissingParts = MissingParts(),
        _ body: @escaping (ChatEngine) -> Rest?
    ) -> Rest {
        Rest(after: missing) { engine in
            if engine.isOver(address) { return nil }
            // This node has handed over meanwhile.
            if engine.relays {
                engine.relay(change, as: caller, admitsNewcomer: true, address)
                return nil
            }
            if let refusal = engine.refusal(of: caller, true) {
                engine.refuse(refusal, address)
                return nil
            }
            return body(engine)
        }
    }

    /// - Parameter attempts: How often the command has missed something.
    /// - Returns: Follow-up work that takes longer than one turn; `nil` if there is none.
    func carryOut(
        _ change: some Change, as caller: Caller, _ address: ReturnAddress, _ survey: ChannelSurvey? = nil,
        attempts: Int = 0
    ) -> Rest? {
        guard let reservation = log.reserve(isForServer: payer == .server) else {
            // Not behind what waits for the log: that may be stuck.
            deliver(.failure(Rejection(.storageUnavailable)), to: address)
            return nil
        }
        announcedCost = 0
        var (records, effects) = admit(caller)
        let context = context(caller, survey)
        let result: Answer
        do throws(Rejection) {
            let decision: Decision
            switch try attempt(attempts, { () throws(Rejection) in try change.decide(in: state, context) }) {
            case .found(let found): decision = found
            case .missed(let missing):
                if records.isEmpty {
                    log.cancel(reservation)
                } else {
                    append(records, outcome(effects, nil), in: reservation)
                }
                return again(change, as: caller, address, after: missing) {
                    $0.carryOut(change, as: caller, address, survey, attempts: attempts + 1)
                }
            }
            if state.blocks.metDamage { throw Rejection(.storageUnavailable, "a message cannot be read from disk") }
            try allowances.charge(decision, context)
            let events = state.records(of: decision.events, in: context)
            guard log.fits(events) else { throw Rejection(.tooMany, "events of one command") }
            guard log.canExpress(events) else {
                throw Rejection(.storageUnavailable, "a node of the cluster has an older version, or is not known yet")
            }
            let live = state.effects(of: decision.messages, context)
            charge(live)
            share(live)
            effects.append(reusing: live)
            let own = fold(events)
            records.append(reusing: own.records)
            effects.append(reusing: own.effects)
            if let refusal = decision.refusal { throw refusal }
            result = .success(try change.response(from: state, context, after: own.records))
        } catch {
            metrics.refusals.increment()
            result = .failure(error)
        }
        guard !records.isEmpty else {
            log.cancel(reservation)
            if effects.isEmpty {
                answer(result, to: address)
            } else {
                // Goes through the log, so that live effects stay in order with events that are not yet durable.
                log.mark(outcome(effects, .command(address, result)))
            }
            return nil
        }
        append(records, outcome(effects, .command(address, result)), in: reservation)
        return pushSearch(for: effects, of: sequence)
    }
}
