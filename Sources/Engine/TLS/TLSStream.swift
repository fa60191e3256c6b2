import COpenSSL
import Glibc

/// One side of a TLS connection over a non-blocking socket. It reads and writes plaintext.
///
/// Confined to the queue of its socket's loop.
package final class TLSStream {
    /// The result of a call.
    package enum Outcome {
        /// The number of bytes read or written, at least 1; 0 for other completed calls.
        case done(Int)
        /// The socket must become readable first, even for a write.
        case needsReadable
        /// The socket must become writable first, even for a read.
        case needsWritable
        /// The peer has finished writing (`close_notify`, or the end of the TCP stream).
        case ended
        /// The connection is unusable.
        case failed(TLSFailure)
    }

    /// A BIO for sockets that never raises SIGPIPE, because an embedding process might not ignore that signal. Nil if
    /// memory runs out.
    private nonisolated(unsafe) static let bioMethod = belfry_bio_method()

    private let ssl: OpaquePointer
    /// Whether this side sends the first bytes, as clients do.
    let startsHandshake: Bool

    /// Creates the server side.
    ///
    /// - Parameter socket: A non-blocking socket. The caller owns it and closes it after releasing the stream.
    /// - Returns: Nil if memory runs out.
    package convenience init?(_ context: TLSContext, socket: Int32) {
        self.init(context.pointer, socket: socket, startsHandshake: false)
        SSL_set_accept_state(ssl)
    }

    /// Creates the client side.
    ///
    /// - Parameters:
    ///   - host: The name or address that the certificate must be valid for, without brackets.
    ///   - socket: A non-blocking, connected socket. The caller owns it and closes it after releasing the stream.
    /// - Returns: Nil if memory runs out, or if `host` is neither a name nor an address.
    package convenience init?(_ trust: TLSTrust, host: String, socket: Int32) {
        self.init(trust.pointer, socket: socket, startsHandshake: true)
        guard belfry_ssl_expect_host(ssl, host) == 1 else { return nil }
        SSL_set_connect_state(ssl)
    }

    private init?(_ context: OpaquePointer, socket: Int32, startsHandshake: Bool) {
        guard let method = Self.bioMethod, let ssl = SSL_new(context) else { return nil }
        guard belfry_ssl_set_socket(ssl, method, socket) == 1 else {
            SSL_free(ssl)
            return nil
        }
        self.ssl = ssl
        self.startsHandshake = startsHandshake
    }

    deinit { SSL_free(ssl) }

    /// Advances the handshake as far as the socket allows; returns `done(0)` when it is complete.
    package func handshake() -> Outcome {
        prepare()
        let result = SSL_do_handshake(ssl)
        return result == 1 ? .done(0) : outcome(of: result)
    }

    /// Reads up to one record. The buffer must not be empty.
    package func read(into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
        var count = 0
        prepare()
        let result = SSL_read_ex(ssl, buffer.baseAddress, buffer.count, &count)
        return result == 1 ? .done(count) : outcome(of: result)
    }

    /// Whether the next read may return bytes although the socket is not readable.
    package var hasPending: Bool { SSL_has_pending(ssl) == 1 }

    /// Writes one record of at most 16 KiB. After `needs…`, the next write must begin with the same bytes, because part
    /// of their record may already be sent.
    ///
    /// - Parameter bytes: At least one byte.
    package func write(_ bytes: UnsafeRawBufferPointer) -> Outcome {
        var count = 0
        prepare()
        let result = SSL_write_ex(ssl, bytes.baseAddress, bytes.count, &count)
        return result == 1 ? .done(count) : outcome(of: result)
    }

    /// Sends `close_notify`, which ends writing (RFC 8446 §6.1); returns `done(0)` when it has been sent.
    package func endWriting() -> Outcome {
        prepare()
        let result = SSL_shutdown(ssl)
        return result >= 0 ? .done(0) : outcome(of: result)
    }

    /// Clears earlier errors. `SSL_get_error` inspects the thread's error queue, where another connection may have left
    /// an error.
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
