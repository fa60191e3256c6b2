import BelfryClient
import Synchronization

/// One client that listens, with its ledger and the connections it has lost.
final class Subscriber: Sendable {
    let name: String
    let client: BelfryClient
    let ledger: Ledger
    let losses = Losses()
    private let tally: LoopTally
    private let watch: Task<Void, Never>

    init(name: String, configuration: BelfryClient.Configuration, plan: FanoutPlan, tally: LoopTally) throws {
        let ledger = Ledger(messages: plan.messages)
        let (channel, marker, warmup) = (plan.channel.rawValue, MessageText.marker(run: plan.run), plan.warmupMessages)
        var configuration = configuration
        configuration.loop = tally.loop
        configuration.onPublication = { room, offset, data in
            guard room == channel else { return }
            ledger.note(offset: offset)
            guard let text = MessageText(in: data, marker: marker), ledger.note(message: text.sequence) else { return }
            tally.noteDelivery()
            if text.sequence >= warmup {
                let now = Clock.now
                tally.note(latency: now > text.intended ? now - text.intended : 0, of: text.sequence)
            }
        }
        self.name = name
        self.ledger = ledger
        self.tally = tally
        client = try BelfryClient(configuration)
        let (states, losses) = (client.states, losses)
        watch = Task { for await state in states { losses.note(state) } }
    }

    /// Leaves, and waits until the loop has let go of the ledger.
    func stop() async {
        watch.cancel()
        client.disconnect()
        // What was posted before has run when this is answered.
        _ = try? await client.connected()
    }
}

/// Connections lost, of one client or of all.
final class Losses: Sendable {
    private let reasons = Mutex<[DisconnectReason]>([])

    func note(_ state: ConnectionState) {
        switch state {
        case .connecting(after: let reason?): reasons.withLock { $0.append(reason) }
        case .disconnected(let reason) where reason != .client: reasons.withLock { $0.append(reason) }
        case .connecting, .connected, .disconnected: break
        }
    }

    var all: [DisconnectReason] { reasons.withLock { $0 } }
}
