import EventLoops
import Glibc

/// The server's end of a link, as its connection sees it.
///
/// Confined to the simulator's thread.
final class SimulatedSocket: ConnectionSocket {
    private let link: SimulatedLink
    private unowned let loop: SimulatedLoop
    private var interest: Interest = []
    private var handler: (any ReadinessHandler)?

    init(_ link: SimulatedLink, on loop: SimulatedLoop) {
        self.link = link
        self.loop = loop
    }

    /// The readiness that the kernel would report now.
    private var readiness: Readiness {
        var readiness: Readiness = []
        if link.condition == .reset { readiness = [.error, .hangup] }
        if interest.contains(.readable), link.up.arrivedCount > 0 || link.up.isAtEnd { readiness.insert(.readable) }
        if interest.contains(.writable), link.condition == .reset || space > 0 { readiness.insert(.writable) }
        return readiness
    }

    private var space: Int { link.sendBuffer - link.down.inFlightCount }

    /// - Returns: Whether there was anything to report.
    func report() -> Bool {
        let readiness = readiness
        guard let handler, !readiness.isEmpty else { return false }
        handler.ready(readiness)
        return true
    }

    /// Detaches the handler, because the process has ended.
    func detach() { handler = nil }

    // MARK: ConnectionSocket

    func open(_ interest: Interest, handler: any ReadinessHandler) throws(SystemError) {
        self.interest = interest
        self.handler = handler
        loop.add(self)
    }

    func setInterest(_ interest: Interest) { self.interest = interest }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Sockets.ReadResult {
        let bytes = link.up.read(atMost: buffer.count)
        if !bytes.isEmpty {
            buffer.copyBytes(from: bytes)
            return .bytes(bytes.count)
        }
        if link.condition == .reset { return .failed(SystemError(operation: "read", errno: ECONNRESET)) }
        return link.up.isAtEnd ? .endOfStream : .wouldBlock
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> Sockets.WriteResult {
        if link.condition == .reset { return .failed(SystemError(operation: "send", errno: EPIPE)) }
        guard space > 0 else { return .wouldBlock }
        let count = min(space, bytes.count)
        link.down.send(Array(bytes[..<count]), stamp: link.recorder.durable)
        return .bytes(count)
    }

    func shutdownWrite() { link.down.end() }

    func close() {
        handler = nil
        link.down.end()
        link.isServerGone = true
        // Closing with unread input causes a reset, which may overtake written bytes.
        if link.up.arrivedCount > 0 { link.reset() }
        loop.remove(self)
    }
}
