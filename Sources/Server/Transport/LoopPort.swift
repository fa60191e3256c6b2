import ChatEngine
import Gateway

/// The reference of the engine and the publisher to a loop's server.
///
/// It is weak, because the server owns both through its services. A strong one would keep a stopped server in memory as
/// long as its process runs.
package final class LoopPort: DeliveryPort {
    private weak let server: LoopServer?

    package init(_ server: LoopServer) { self.server = server }

    package func deliver(_ batch: [Delivery]) { server?.deliver(batch) }
    package func deferWake() -> Bool { server?.deferWake() ?? false }
    package var waitingCount: Int { server?.waitingCount ?? 0 }
}
