import ChatDomain
import ChatModel
import Gateway

/// What nodes tell each other without the log: who is connected, who is typing, and messages that are not stored.
extension ChatEngine {
    /// Carries out a signal that another node has carried out for its client. Callable from any queue.
    package func repeatSignal(_ signal: some Signal, as caller: Caller) {
        post { engine in
            let result = Result { () throws(Rejection) in
                try signal.carryOut(in: engine.state, &engine.live, engine.context(caller))
            }
            // What the other node allowed and this node does not know yet is lost, as any signal may be.
            guard case .success((_, let effects)) = result, !effects.isEmpty else { return }
            engine.log.mark(Outcome(effects: effects, answer: nil))
            engine.scheduleExpiry()
        }
    }

    /// Delivers a message that is not stored, from another node. Callable from any queue.
    package func deliver(_ event: TypedEvent, in room: Room) {
        post { $0.log.mark(Outcome(effects: [.deliver(event, to: room)], answer: nil)) }
    }

    /// Records whom another node has connected, and who has left it. Each user counts once per node. Callable from any
    /// queue.
    package func recordPresence(connected: [UserID], disconnected: [UserID]) {
        post { engine in
            let now = engine.now()
            var effects: [Effect] = []
            for user in connected { effects += engine.live.connect(user, in: engine.state, at: now, engine.settings) }
            for user in disconnected {
                effects += engine.live.disconnect(user, in: engine.state, at: now, engine.settings)
            }
            engine.recordPresenceChanges(effects)
        }
    }

    // MARK: On `queue`

    /// Tells the other nodes of messages that are not stored.
    func share(_ effects: [Effect]) {
        guard let cluster else { return }
        for case .deliver(let event, let room) in effects { cluster.port.share(.event(event, in: room)) }
    }

    func share<S: Signal>(_ signal: S, of caller: Caller) {
        guard let cluster else { return }
        cluster.port.share(.signal(method: S.method, request: publisher.encoder.encode(signal), caller))
    }

    func recordConnection(of user: UserID) {
        guard let cluster, cluster.connections.add(user) else { return }
        cluster.port.presenceChanged(user, isConnected: true)
    }

    func recordDisconnection(of user: UserID) {
        guard let cluster, cluster.connections.remove(user) else { return }
        cluster.port.presenceChanged(user, isConnected: false)
    }
}
