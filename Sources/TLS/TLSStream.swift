import COpenSSL
import Glibc

/// One side of one TLS connection over a non-blocking socket: plain bytes in and out.
///
/// Confined to the queue of its socket's loop.
package final class TLSStream {
    /// What a call has come to.
    package enum Outcome {
        /// For a read or a write: how many bytes, at least one.
        case done(Int)
        /// The socket has to become readable first, whatever the call was.
        case needsReadable
        /// The socket has to become writable first.
        case needsWritable
        /// The peer has said its last word (`close_notify`, or the end of the TCP stream).
        case ended
        /// Nothing more can be done with this connection.
        case failed(TLSFailure)
    }

    /// A socket that never raises SIGPIPE: an embedder's process may not ignore that signal. Nil without memory.
    private nonisolated(unsafe) static let bioMethod = belfry_bio_method()

    private let ssl: OpaquePointer

    /// The server's side.
    ///
    /// - Parameter socket: Non-blocking; it stays the caller's and is to be closed behind this.
    /// - Returns: Nil without memory.
    package convenience init?(_ context: TLSContext, socket: Int32) {
        self.init(context.pointer, socket: socket)
        SSL_set_accept_state(ssl)
    }

    /// The client's side.
    ///
    /// - Parameters:
    ///   - host: The name or the address, without brackets, that the certificate has to be for.
    ///   - socket: As above, and connected.
    /// - Returns: Nil without memory, and for a host that is neither.
    package convenience init?(_ trust: TLSTrust, host: String, socket: Int32) {
        self.init(trust.pointer, socket: socket)
        guard belfry_ssl_expect_host(ssl, host) == 1 else { return nil }
        SSL_set_connect_state(ssl)
    }

    private init?(_ context: OpaquePointer, socket: Int32) {
        guard let method = Self.bioMethod, let ssl = SSL_new(context) else { return nil }
        guard belfry_ssl_set_socket(ssl, method, socket) == 1 else {
            SSL_free(ssl)
            return nil
        }
        self.ssl = ssl
    }

    deinit { SSL_free(ssl) }

    /// Takes the handshake as far as the socket allows; `done(0)` when it is complete.
    package func handshake() -> Outcome {
        prepare()
        let result = SSL_do_handshake(ssl)
        return result == 1 ? .done(0) : outcome(of: result)
    }

    /// Reads what one record holds, or less, into a buffer that is not empty.
    package func read(into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
        var count = 0
        prepare()
        let result = SSL_read_ex(ssl, buffer.baseAddress, buffer.count, &count)
        return result == 1 ? .done(count) : outcome(of: result)
    }

    /// Whether the next read may find something without the socket being readable.
    package var hasPending: Bool { SSL_has_pending(ssl) == 1 }

    /// Writes one record of at most 16 KiB. After `needs…` the next write has to begin with the same bytes: they are in
    /// a record that may have left in part.
    ///
    /// - Parameter bytes: At least one.
    package func write(_ bytes: UnsafeRawBufferPointer) -> Outcome {
        var count = 0
        prepare()
        let result = SSL_write_ex(ssl, bytes.baseAddress, bytes.count, &count)
        return result == 1 ? .done(count) : outcome(of: result)
    }

    /// Says that nothing more is written (`close_notify`, RFC 8446 §6.1); `done(0)` when it has left.
    package func endWriting() -> Outcome {
        prepare()
        let result = SSL_shutdown(ssl)
        return result >= 0 ? .done(0) : outcome(of: result)
    }

    /// `SSL_get_error` looks at the thread's queue of errors, where another connection may have left one.
    private func prepare() {
        ERR_clear_error()
        errno = 0
    }

    private func outcome(of result: Int32) -> Outcome {
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ: .needsReadable
        case SSL_ERROR_WANT_WRITE: .needsWritable
        case SSL_ERROR_ZERO_RETURN: .ended
        default: .failed(TLSFailure(verdict: Int(SSL_get_verify_result(ssl))))
        }
    }
}
