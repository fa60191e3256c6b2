import EventLoops
import Glibc
import TLS

/// A connected socket, plain or with TLS.
///
/// Confined to its loop's queue; the caller owns the descriptor.
final class ClientSocket {
    enum Step {
        case done
        /// The readiness to wait for first.
        case needs(Interest)
        case failed(String)
    }

    private let descriptor: Int32
    private let tls: TLSStream?
    /// The readiness that a read or write waits for: TLS sometimes needs the opposite one.
    private(set) var readNeeds: Interest = .readable
    private(set) var writeNeeds: Interest = .writable

    init(_ descriptor: Int32, tls: TLSStream? = nil) {
        self.descriptor = descriptor
        self.tls = tls
    }

    /// Whether TLS has buffered bytes, which the kernel will not report again.
    var hasPending: Bool { tls?.hasPending ?? false }

    /// Advances the TLS handshake as far as the socket allows.
    func secure() -> Step {
        switch tls?.handshake() {
        case nil, .done: .done
        case .needsReadable: .needs(.readable)
        case .needsWritable: .needs(.writable)
        case .ended: .failed("the server ended the TLS handshake")
        case .failed(let failure): .failed("no TLS: \(failure)")
        }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Sockets.ReadResult {
        guard let tls else { return Sockets.read(descriptor, into: buffer) }
        readNeeds = .readable
        switch tls.read(into: buffer) {
        case .done(let count): return .bytes(count)
        case .needsReadable: return .wouldBlock
        case .needsWritable:
            readNeeds = .writable
            return .wouldBlock
        case .ended: return .endOfStream
        case .failed(let failure): return .failed(error("SSL_read", failure))
        }
    }

    /// Bytes that were not accepted must come first in the next call: a part of them may have been sent.
    func write(_ bytes: UnsafeRawBufferPointer) -> Sockets.WriteResult {
        guard let tls, !bytes.isEmpty else { return Sockets.write(descriptor, bytes) }
        writeNeeds = .writable
        switch tls.write(bytes) {
        case .done(let count): return .bytes(count)
        case .needsReadable:
            writeNeeds = .readable
            return .wouldBlock
        case .needsWritable: return .wouldBlock
        case .ended: return .failed(SystemError(operation: "SSL_write", errno: EPIPE))
        case .failed(let failure): return .failed(error("SSL_write", failure))
        }
    }

    /// Does not wait for bytes that cannot be sent at once.
    func shutdownWrite() {
        _ = tls?.endWriting()
        Sockets.shutdownWrite(descriptor)
    }

    private func error(_ operation: String, _ failure: TLSFailure) -> SystemError {
        SystemError(operation: operation, errno: failure.errno == 0 ? EPROTO : failure.errno)
    }
}
