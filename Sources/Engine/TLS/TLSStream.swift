import COpenSSL
import Glibc

/// One side of a TLS connection over a non-blocking socket: plaintext in and out.
///
/// Confined to the queue of its socket's loop.
package final class TLSStream {
    /// The result of a call.
    package enum Outcome {
        /// The number of bytes read or written, at least one.
        case done(Int)
        /// The socket must become readable first, whatever the call was.
        case needsReadable
        /// The socket must become writable first, whatever the call was.
        case needsWritable
        /// The peer has finished writing (`close_notify`, or the end of the TCP stream).
        case ended
        /// The connection is unusable.
        case failed(TLSFailure)
    }

    /// A BIO for sockets that never raises SIGPIPE, because an embedding process may not ignore that signal. Nil when
    /// memory runs out.
    private nonisolated(unsafe) static let bioMethod = belfry_bio_method()

    private let ssl: OpaquePointer
    /// Whether this side sends the first bytes: the client's.
    let startsHandshake: Bool

    /// Makes the server's side.
    ///
    /// - Parameter socket: Non-blocking; still owned by the caller, who closes it after releasing this.
    /// - Returns: Nil when memory runs out.
    package convenience init?(_ context: TLSContext, socket: Int32) {
        self.init(context.pointer, socket: socket, startsHandshake: false)
        SSL_set_accept_state(ssl)
    }

    /// Makes the client's side.
    ///
    /// - Parameters:
    ///   - host: The name or address the certificate must be for, without brackets.
    ///   - socket: Non-blocking and connected; still owned by the caller, who closes it after releasing this.
    /// - Returns: Nil when memory runs out, or for a host that is neither a name nor an address.
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

    /// Advances the handshake as far as the socket allows; `done(0)` when it is complete.
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

    /// Whether the next read may return something although the socket is not readable.
    package var hasPending: Bool { SSL_has_pending(ssl) == 1 }

    /// Writes one record of at most 16 KiB. After `needs…`, the next write must begin with the same bytes, because they
    /// are in a record that may have been sent in part.
    ///
    /// - Parameter bytes: At least one byte.
    package func write(_ bytes: UnsafeRawBufferPointer) -> Outcome {
        var count = 0
        prepare()
        let result = SSL_write_ex(ssl, bytes.baseAddress, bytes.count, &count)
        return result == 1 ? .done(count) : outcome(of: result)
    }

    /// Sends `close_notify`, which ends writing (RFC 8446 §6.1); `done(0)` when it has been sent.
    package func endWriting() -> Outcome {
        prepare()
        let result = SSL_shutdown(ssl)
        return result >= 0 ? .done(0) : outcome(of: result)
    }

    /// `SSL_get_error` inspects the thread's error queue, where another connection may have left an error.
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
