import EventLoops

/// One stream of bytes to a peer, as its connection uses it: a socket of the system, or one of a simulation.
///
/// Confined to its connection's loop.
package protocol ConnectionSocket: AnyObject {
    /// From here on the handler hears when the socket is ready, level-triggered, until `close`.
    func open(_ interest: Interest, handler: any ReadinessHandler) throws(SystemError)
    func setInterest(_ interest: Interest)
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Sockets.ReadResult
    func write(_ bytes: UnsafeRawBufferPointer) -> Sockets.WriteResult
    /// Whether the handler may speak to the peer; before that it hears nothing, and then `ready` once.
    var isEstablished: Bool { get }
    /// Whether a part of what the last write did not take has left nevertheless: then the next one begins with it.
    var hasBegunWrite: Bool { get }
    /// Ends our side of the stream behind what has been written.
    func shutdownWrite()
    /// Gives the stream up; called once, and nothing after it.
    func close()
}

extension ConnectionSocket {
    package var isEstablished: Bool { true }
    package var hasBegunWrite: Bool { false }
}

/// A loop as its connections use it. All of it but `post` is for the loop's own queue.
package protocol ConnectionLoop: AnyObject, Sendable {
    var index: Int { get }
    /// Runs a closure on the loop, in the order of the calls. From any queue.
    func post(_ work: @escaping @Sendable () -> Void)
    func atEndOfTurn(_ hook: @escaping () -> Void)
    /// Whether the caller is in a turn of this loop whose end is still to come.
    var isInTurn: Bool { get }
    func now() -> ContinuousClock.Instant
    func schedule(after delay: Duration, _ body: @escaping () -> Void) -> TimerToken
    func cancel(_ token: TimerToken)
}

extension EventLoop: ConnectionLoop {}

/// A descriptor that the kernel reports on to a loop. Closed once, after the kernel has forgotten it.
final class SystemSocket: ConnectionSocket {
    private let loop: EventLoop
    private let descriptor: Int32
    private var registration: Registration?

    init(_ descriptor: consuming FileDescriptor, on loop: EventLoop) {
        self.loop = loop
        self.descriptor = descriptor.release()
    }

    func open(_ interest: Interest, handler: any ReadinessHandler) throws(SystemError) {
        registration = try loop.add(descriptor, interest: interest, handler: handler)
    }

    func setInterest(_ interest: Interest) {
        guard let registration else { return }
        loop.setInterest(interest, for: registration)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Sockets.ReadResult {
        Sockets.read(descriptor, into: buffer)
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> Sockets.WriteResult { Sockets.write(descriptor, bytes) }

    func shutdownWrite() { Sockets.shutdownWrite(descriptor) }

    func close() {
        if let registration { loop.remove(registration) }
        registration = nil
        FileDescriptor(owning: descriptor).close()
    }
}
