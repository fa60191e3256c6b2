import BelfryClient
import Synchronization

/// Records the lost connections of one client or of all.
final class Losses: Sendable {
    private let reasons = Mutex<[DisconnectReason]>([])

    func record(_ state: ConnectionState) {
        switch state {
        case .connecting(after: let reason?): reasons.withLock { $0.append(reason) }
        case .disconnected(let reason) where reason != .client: reasons.withLock { $0.append(reason) }
        case .connecting, .connected, .disconnected: break
        }
    }

    /// Descriptions of the reasons.
    var all: [String] { reasons.withLock { $0.map { "\($0)" } } }
}

/// A client whose lost connections are recorded.
final class WatchedClient: Sendable {
    let name: String
    let client: BelfryClient
    let losses = Losses()
    private let watch: Task<Void, Never>

    init(name: String, configuration: BelfryClient.Configuration) throws {
        self.name = name
        client = try BelfryClient(configuration)
        let (states, losses) = (client.states, losses)
        watch = Task { for await state in states { losses.record(state) } }
    }

    /// Disconnects, and waits until the loop has run all earlier work.
    func stop() async {
        watch.cancel()
        client.disconnect()
        // All earlier posted work has run when this returns.
        _ = try? await client.connected()
    }
}
