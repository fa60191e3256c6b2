import BelfryClient
import Synchronization

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

    /// Why, in words.
    var all: [String] { reasons.withLock { $0.map { "\($0)" } } }
}

/// A client whose losses are noted.
final class WatchedClient: Sendable {
    let name: String
    let client: BelfryClient
    let losses = Losses()
    private let watch: Task<Void, Never>

    init(name: String, configuration: BelfryClient.Configuration) throws {
        self.name = name
        client = try BelfryClient(configuration)
        let (states, losses) = (client.states, losses)
        watch = Task { for await state in states { losses.note(state) } }
    }

    /// Leaves, and waits until the loop has let go of what its hooks hold.
    func stop() async {
        watch.cancel()
        client.disconnect()
        // What was posted before has run when this is answered.
        _ = try? await client.connected()
    }
}
