import ChatDomain
import ChatEngine
import ChatModel
import Gateway
import WireProtocol

/// A user's command that the hook decides about.
struct HookedCommand<Command: HookedChange>: Sendable {
    let request: Command
    let caller: Caller
    let admitsNewcomer: Bool
    let bytes: Int
    let address: ReturnAddress
}

extension HookGate {
    /// Checks a command, asks the hook about it, and carries it out as the hook decides. Everything is checked again when
    /// it is carried out, because the chat may have changed meanwhile.
    ///
    /// - Parameter done: Called once, when the command has entered the engine's queue or is answered.
    func decide<C: HookedChange>(
        _ command: HookedCommand<C>, _ engine: ChatEngine, _ done: @escaping @Sendable () -> Void
    ) {
        let answered = ReturnAddress(guestOrigin: command.address.guestOrigin) { [self] answer in
            do throws(Rejection) {
                guard let prepared = try answer.get() as? PrepareHook<C>.Response else { throw Rejection(.internal) }
                guard let question = prepared.question, let target = engine.hook.target else {
                    command.enter(engine)
                    return done()
                }
                ask(target, question) { verdict in
                    command.carryOut(verdict, of: target, engine)
                    done()
                }
            } catch {
                engine.deliver(.failure(error), to: command.address)
                done()
            }
        }
        engine.query(
            PrepareHook(command.request), as: command.caller, admitsNewcomer: command.admitsNewcomer,
            bytes: command.bytes, answerTo: answered)
    }

    private func ask(
        _ target: HookTarget, _ question: HookQuestion<some HookedChange>,
        _ done: @escaping @Sendable (HookVerdict) -> Void
    ) {
        guard let port else { return done(.failed) }
        port.ask(target, WireEncoder().encode(question), done)
    }
}

extension HookedCommand {
    func enter(_ engine: ChatEngine) {
        engine.change(request, as: caller, admitsNewcomer: admitsNewcomer, bytes: bytes, answerTo: address)
    }

    fileprivate func carryOut(_ verdict: HookVerdict, of target: HookTarget, _ engine: ChatEngine) {
        switch verdict {
        case .allow: enter(engine)
        // Without a text, there is nothing to replace: the answer is not valid.
        case .replace(let text) where request.hookedText != nil:
            engine.change(
                ReplacedText(request, text: text), as: caller, admitsNewcomer: admitsNewcomer, bytes: bytes,
                answerTo: address)
        case .refuse(let reason):
            engine.deliver(.failure(Rejection(.textRefused, reason.isEmpty ? "hook" : "hook: \(reason)")), to: address)
        case .replace, .failed:
            guard target.hook.onFailure == .refuse else { return enter(engine) }
            engine.deliver(.failure(Rejection(.textRefused, "hook: no valid answer")), to: address)
        case .overloaded:
            let refusal = Rejection(
                .tooManyRequests, "requests to the hook",
                retryAfterMilliseconds: Int64(target.hook.timeoutMilliseconds))
            engine.deliver(.failure(refusal), to: address)
        }
    }
}
