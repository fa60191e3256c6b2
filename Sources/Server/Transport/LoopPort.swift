import ChatEngine
import Gateway

/// A loop's server as the engine and the publisher reach it.
///
/// The server owns them through its services, so they must not own it in turn: nobody would ever release a stopped server
/// whose process continues.
package final class LoopPort: DeliveryPort {
    private weak let server: LoopServer?

    package init(_ server: LoopServer) { self.server = server }

    package func deliver(_ batch: [Delivery]) { server?.deliver(batch) }
    package func deferWake() -> Bool { server?.deferWake() ?? false }
    package var waitingCount: Int { server?.waitingCount ?? 0 }
}
