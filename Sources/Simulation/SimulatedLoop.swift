import ChatEngine
import Gateway
import Synchronization

/// A loop whose turns come when the simulator says so: what is delivered waits until then, and is gone with the process.
final class SimulatedLoop: DeliveryPort {
    let index: Int
    private let inbox = Mutex<[Delivery]>([])

    init(index: Int) { self.index = index }

    func deliver(_ batch: [Delivery]) { inbox.withLock { $0 += batch } }

    func take() -> [Delivery] {
        inbox.withLock { inbox in
            defer { inbox = [] }
            return inbox
        }
    }

    var isEmpty: Bool { inbox.withLock(\.isEmpty) }
}
