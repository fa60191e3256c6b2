import EventLoops
import Glibc
import TLS

/// A connected socket as its connection reads and writes it: as it is, or through TLS.
///
/// Confined to its loop's queue; the descriptor stays the caller's.
final class ClientSocket {
    enum Step {
        case done
        /// The socket has to become so first.
        case needs(Interest)
        case failed(String)
    }

    private let descriptor: Int32
    private let tls: TLSStream?
    /// What the socket has to be before a read, or a write, gets further: in TLS sometimes the other one.
    private(set) var readNeeds: Interest = .readable
    private(set) var writeNeeds: Interest = .writable

    init(_ descriptor: Int32, tls: TLSStream? = nil) {
        self.descriptor = descriptor
        self.tls = tls
    }

    /// Whether the next read may find something that has left the kernel already, of which it will not report.
    var hasPending: Bool { tls?.hasPending ?? false }

    /// Takes the handshake of TLS as far as the socket allows.
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

    /// What is not taken has to come first the next time: a part of it may have left.
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

    /// What cannot leave at once is not waited for.
    func shutdownWrite() {
        _ = tls?.endWriting()
        Sockets.shutdownWrite(descriptor)
    }

    private func error(_ operation: String, _ failure: TLSFailure) -> SystemError {
        SystemError(operation: operation, errno: failure.errno == 0 ? EPROTO : failure.errno)
    }
}
