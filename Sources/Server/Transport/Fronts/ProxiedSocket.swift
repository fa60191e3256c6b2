import EventLoops
import HTTPCodec

/// A connection from a trusted proxy. It starts with a PROXY header that names the client, and then behaves like any
/// other connection.
///
/// Confined to its connection's loop.
final class ProxiedSocket: ConnectionSocket, ReadinessHandler {
    private let loop: EventLoop
    private let descriptor: Int32
    private let milliseconds: Int64
    private let makeSocket: (consuming FileDescriptor) -> any ConnectionSocket
    private var header = ProxyHeaderReader()
    private var registration: Registration?
    private var deadline: TimerToken?
    private var isOver = false
    private var interest: Interest = []
    private weak var handler: (any ReadinessHandler)?
    private var socket: (any ConnectionSocket)?
    /// Called with the client's address, or with nil when the proxy opened the connection for itself. Returns false
    /// when the connection must end.
    var onClientAddress: ((String?) -> Bool)?

    /// - Parameters:
    ///   - milliseconds: Time limit for the header.
    ///   - makeSocket: Makes the socket that takes over after the header.
    init(
        _ descriptor: consuming FileDescriptor, on loop: EventLoop, milliseconds: Int64,
        _ makeSocket: @escaping (consuming FileDescriptor) -> any ConnectionSocket
    ) {
        self.loop = loop
        self.milliseconds = milliseconds
        self.descriptor = descriptor.release()
        self.makeSocket = makeSocket
    }

    func open(_ interest: Interest, handler: any ReadinessHandler) throws(SystemError) {
        self.interest = interest
        self.handler = handler
        registration = try loop.add(descriptor, interest: [.readable], handler: self)
        deadline = loop.schedule(after: .milliseconds(milliseconds)) { [weak self] in self?.end() }
    }

    /// The header usually arrives in the first packet; otherwise each missing part needs its own read.
    func ready(_ readiness: Readiness) {
        while registration != nil {
            let wanted = min(header.bytesNeeded, ProxyHeaderReader.longestBlock)
            let outcome: ProxyHeaderReader.Outcome? = withUnsafeTemporaryAllocation(byteCount: wanted, alignment: 1) {
                switch Sockets.read(descriptor, into: $0) {
                case .bytes(let count): header.feed(UnsafeRawBufferPointer(rebasing: $0[..<count]))
                case .wouldBlock: nil
                case .endOfStream, .failed: .malformed
                }
            }
            switch outcome {
            case nil: return
            case .incomplete: continue
            case .malformed: return end()
            case .binary(let bytes): handOver(for: bytes.flatMap { IPAddress($0) }, isKnown: bytes != nil)
            case .text(let text): handOver(for: text.flatMap { IPAddress($0) }, isKnown: text != nil)
            }
        }
    }

    private func handOver(for address: IPAddress?, isKnown: Bool) {
        guard address != nil || !isKnown, onClientAddress?(address?.description) == true, let handler else {
            return end()
        }
        cancelWaiting()
        let socket = makeSocket(FileDescriptor(owning: descriptor))
        self.socket = socket
        do throws(SystemError) {
            try socket.open(interest, handler: handler)
            if socket.isEstablished { handler.ready([]) }
        } catch {
            end()
        }
    }

    /// Reports a hangup, so that the connection closes.
    private func end() {
        guard !isOver else { return }
        cancelWaiting()
        isOver = true
        handler?.ready(.hangup)
    }

    private func cancelWaiting() {
        if let deadline { loop.cancel(deadline) }
        if let registration { loop.remove(registration) }
        (deadline, registration) = (nil, nil)
    }

    var isEstablished: Bool { socket?.isEstablished ?? false }
    var hasBegunWrite: Bool { socket?.hasBegunWrite ?? false }

    func setInterest(_ interest: Interest) {
        self.interest = interest
        socket?.setInterest(interest)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Sockets.ReadResult {
        if isOver { return .endOfStream }
        return socket?.read(into: buffer) ?? .wouldBlock
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> Sockets.WriteResult {
        socket?.write(bytes) ?? (bytes.isEmpty ? .bytes(0) : .wouldBlock)
    }

    func shutdownWrite() { socket?.shutdownWrite() }

    func close() {
        cancelWaiting()
        if let socket { socket.close() } else { FileDescriptor(owning: descriptor).close() }
    }
}
