import Dispatch
import Synchronization

/// A webhook's endpoint that responds with the given statuses, then with 200.
final class Receiver: Sendable {
    private let server: HTTPReceiver
    private let arrived: DispatchSemaphore
    /// One signal per response, if the test wants to delay them.
    let gate: DispatchSemaphore?

    init(statuses: [Int] = [], gate: DispatchSemaphore? = nil) {
        let arrived = DispatchSemaphore(value: 0)
        (self.arrived, self.gate) = (arrived, gate)
        let count = Atomic(0)
        server = HTTPReceiver { _ in
            arrived.signal()
            gate?.wait()
            let index = count.add(1, ordering: .relaxed).oldValue
            let status = index < statuses.count ? statuses[index] : 200
            return HTTPReceiver.response("ok", status: status)
        }
    }

    var url: String { server.url }
    var port: UInt16 { server.port }

    /// Waits for this number of requests and returns all received so far.
    func wait(for count: Int) -> [HTTPReceiver.Request] {
        for _ in 0..<count { _ = arrived.wait(timeout: .now() + .seconds(60)) }
        return server.received
    }

    func stop() { server.stop() }
}
