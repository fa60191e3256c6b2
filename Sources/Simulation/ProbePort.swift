import ChatEngine
import Gateway
import Synchronization

/// Hears the answers to the simulator's own questions.
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
