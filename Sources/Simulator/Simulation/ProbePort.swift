import ChatEngine
import Gateway
import Synchronization

/// Receives the answers to the simulator's own queries.
final class ProbePort: DeliveryPort {
    private let inbox = Mutex<[Delivery]>([])

    func deliver(_ batch: [Delivery]) { inbox.withLock { $0 += batch } }

    func take() -> [Delivery] {
        inbox.withLock { inbox in
            defer { inbox = [] }
            return inbox
        }
    }
}
