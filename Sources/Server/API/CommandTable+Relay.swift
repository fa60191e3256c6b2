import ChatDomain
import ChatEngine
import ChatModel
import Gateway
import WireProtocol

/// What other nodes of a cluster send.
extension CommandTable {
    /// The changes of the table, and those that no client sends as such.
    private static let changes: [String: any Change.Type] = {
        let others: [any Change.Type] = [
            AdmitGuest.self, AdmitUser.self, RegisterFile.self, RepeatErasures.self, ReplacedText<SendMessage>.self,
            ReplacedText<UpdateMessage>.self, ReplacedText<UpdateThread>.self,
        ]
        let changes = declarations.compactMap { $0.request as? any Change.Type } + others
        return Dictionary(uniqueKeysWithValues: changes.map { ($0.method, $0) })
    }()

    private static let signals: [String: any Signal.Type] = Dictionary(
        uniqueKeysWithValues: declarations.compactMap { ($0.request as? any Signal.Type).map { ($0.method, $0) } })

    /// Carries out a command of another node, which has checked who sent it and whether they may call it.
    package func execute(_ command: RelayedCommand, answerTo address: ReturnAddress) {
        guard let type = Self.changes[command.method] else {
            return engine.refuse(Rejection(.methodNotFound), relayedBy: address)
        }
        execute(type, command, address)
    }

    /// Refuses another node's command.
    package func refuse(_ refusal: Rejection, relayedBy address: ReturnAddress) {
        engine.refuse(refusal, relayedBy: address)
    }

    private func execute<C: Change>(_ type: C.Type, _ command: RelayedCommand, _ address: ReturnAddress) {
        do throws(Rejection) {
            let change = try requests.decode(relayed: type, from: command.request)
            if let guest = change as? AdmitGuest { return engine.admit(guest, answerTo: address) }
            engine.change(
                change, as: command.caller, admitsNewcomer: command.admitsNewcomer, bytes: command.request.count,
                answerTo: address)
        } catch {
            engine.refuse(error, relayedBy: address)
        }
    }

    /// Repeats what another node told all others. What cannot be decoded is ignored.
    package func hear(_ news: ClusterNews) {
        switch news {
        case .event(let event, let room): engine.deliver(event, in: room)
        case .signal(let method, let request, let caller):
            guard let type = Self.signals[method] else { return }
            hear(type, request, caller)
        }
    }

    private func hear<S: Signal>(_ type: S.Type, _ request: [UInt8], _ caller: Caller) {
        guard let signal = try? requests.decode(relayed: type, from: request) else { return }
        engine.repeatSignal(signal, as: caller)
    }
}
