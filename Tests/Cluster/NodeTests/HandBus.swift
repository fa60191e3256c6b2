import Replication
import Synchronization

/// A bus that only records. The test delivers messages and replies.
final class HandBus: Bus {
    typealias Receive = @Sendable (_ message: [UInt8], _ reply: (@Sendable ([UInt8]) -> Void)?) -> Void

    struct Request: Sendable {
        let message: [UInt8]
        let subject: String
        let done: @Sendable (BusReply) -> Void
    }

    private final class Subscription: BusSubscription {}

    private let receivers = Mutex<[String: Receive]>([:])
    let requests = Heard<Request>()
    let published = Heard<[UInt8]>()

    func publish(_ message: [UInt8], to subject: String) { published.add(message) }

    func serve(_ subject: String, _ receive: @escaping Receive) -> any BusSubscription {
        receivers.withLock { $0[subject] = receive }
        return Subscription()
    }

    func request(
        _ message: [UInt8], to subject: String, milliseconds: Int, _ done: @escaping @Sendable (BusReply) -> Void
    ) { requests.add(Request(message: message, subject: subject, done: done)) }

    func isServed(_ subject: String) -> Bool { receivers.withLock { $0[subject] != nil } }

    /// Delivers a message to the one who serves the subject.
    func deliver(_ message: [UInt8], to subject: String, reply: (@Sendable ([UInt8]) -> Void)? = nil) {
        receivers.withLock { $0[subject] }?(message, reply)
    }
}
