import ChatDomain
import ChatModel
import Gateway

/// Answers queries, slice by slice.
extension ChatEngine {
    /// Callable from any queue.
    ///
    /// - Parameters: As for `change`.
    package func query(
        _ query: some Query, as caller: Caller, admitsNewcomer: Bool = true, bytes: Int = 0,
        answerTo address: ReturnAddress
    ) {
        enter(address, caller, admitsNewcomer, bytes: bytes) { engine in
            engine.whenReadable(
                caller, admitsNewcomer: admitsNewcomer, seesLatest: address.readsLatest, address
            ) { engine in
                engine.run(as: caller, admitsNewcomer, address) { (state, context) throws(Rejection) in
                    try query.begin(in: state, context)
                }
            }
        }
    }

    // MARK: On `queue`

    /// - Parameters:
    ///   - attempts: How often this step has missed something.
    ///   - step: The query, or the rest of it.
    private func run<Response: Encodable & Sendable>(
        as caller: Caller, _ admitsNewcomer: Bool, _ address: ReturnAddress, attempts: Int = 0,
        _ step: @escaping (ChatState, Context) throws(Rejection) -> QueryStep<Response>
    ) -> Rest? {
        if let refusal = refusal(of: caller, admitsNewcomer) {
            refuse(refusal, address)
            return nil
        }
        guard admitIfNew(caller) else {
            answer(.failure(Rejection(.storageUnavailable)), to: address)
            return nil
        }
        do throws(Rejection) {
            let result = try attempt(attempts) { () throws(Rejection) in try step(state, context(caller)) }
            switch result {
            case .missed(let missing):
                return Rest(after: missing) { engine in
                    if engine.isOver(address) { return nil }
                    return engine.run(as: caller, admitsNewcomer, address, attempts: attempts + 1, step)
                }
            case .found(.answered(let response)):
                answer(.success(response), to: address)
                return nil
            case .found(.unfinished(let rest)):
                metrics.slices.increment()
                return Rest { $0.run(as: caller, admitsNewcomer, address, rest) }
            case .found(.lookup(let lookup, let rest)):
                return find(lookup, as: caller, admitsNewcomer, address) { engine, findings in
                    engine.run(as: caller, admitsNewcomer, address) { (state, context) throws(Rejection) in
                        try rest(findings, state, context)
                    }
                }
            }
        } catch {
            refuse(error, address)
            return nil
        }
    }
}
