/// A byte stream to a peer: a system socket, or a simulated one.
///
/// Confined to its connection's loop.
package protocol ConnectionSocket: AnyObject {
    /// Starts reporting readiness to the handler, level-triggered, until `close`.
    func open(_ interest: Interest, handler: any ReadinessHandler) throws(SystemError)
    func setInterest(_ interest: Interest)
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Sockets.ReadResult
    func write(_ bytes: UnsafeRawBufferPointer) -> Sockets.WriteResult
    /// Whether data can be exchanged with the peer. Before that the handler is not called; it then gets `ready` once.
    var isEstablished: Bool { get }
    /// Whether part of the bytes that the last write left over has been sent nevertheless; the next write must then
    /// start with the same bytes.
    var hasBegunWrite: Bool { get }
    /// Shuts down the sending side after everything written so far.
    func shutdownWrite()
    /// Releases the stream. Called once, and nothing is called after it.
    func close()
}

extension ConnectionSocket {
    package var isEstablished: Bool { true }
    package var hasBegunWrite: Bool { false }
}

/// A descriptor registered with a loop's poller. Closed once, after the kernel has forgotten it.
package final class SystemSocket: ConnectionSocket {
    private let loop: EventLoop
    private let descriptor: Int32
    private var registration: Registration?

    package init(_ descriptor: consuming FileDescriptor, on loop: EventLoop) {
        self.loop = loop
        self.descriptor = descriptor.release()
    }

    package func open(_ interest: Interest, handler: any ReadinessHandler) throws(SystemError) {
        registration = try loop.add(descriptor, interest: interest, handler: handler)
    }

    package func setInterest(_ interest: Interest) {
        guard let registration else { return }
        loop.setInterest(interest, for: registration)
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) -> Sockets.ReadResult {
        Sockets.read(descriptor, into: buffer)
    }

    package func write(_ bytes: UnsafeRawBufferPointer) -> Sockets.WriteResult {
        Sockets.write(descriptor, bytes)
    }

    package func shutdownWrite() { Sockets.shutdownWrite(descriptor) }

    package func close() {
        if let registration { loop.remove(registration) }
        registration = nil
        FileDescriptor(owning: descriptor).close()
    }
}
