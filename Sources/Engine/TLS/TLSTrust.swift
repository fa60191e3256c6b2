import COpenSSL
import Glibc

/// The certificate authorities a client trusts. Protocols and ciphers are those of `TLSContext`.
///
/// Made once, because that takes time and memory, and immutable afterwards. OpenSSL counts its references atomically,
/// so every loop's queue may use it at once.
package final class TLSTrust: @unchecked Sendable {
    let pointer: OpaquePointer

    /// - Parameter authoritiesPath: A PEM file of certificates; nil for those the system trusts.
    /// - Throws: `TLSError` when the file cannot be read or holds no certificate.
    package init(authoritiesPath: String? = nil) throws(TLSError) {
        ERR_clear_error()
        guard let context = SSL_CTX_new(TLS_client_method()) else { throw .library(reason: "\(TLSFailure())") }
        do throws(TLSError) {
            guard belfry_ssl_ctx_configure_client(context) == 1 else { throw .library(reason: "\(TLSFailure())") }
            try Self.trust(authoritiesPath, in: context)
            // Errors that OpenSSL recovered from stay in its queue.
            ERR_clear_error()
        } catch {
            SSL_CTX_free(context)
            throw error
        }
        pointer = context
    }

    deinit { SSL_CTX_free(pointer) }

    private static func trust(_ path: String?, in context: OpaquePointer) throws(TLSError) {
        guard let path else {
            guard SSL_CTX_set_default_verify_paths(context) == 1 else { throw .library(reason: "\(TLSFailure())") }
            return
        }
        // OpenSSL does not distinguish an unreadable file from one without certificates.
        guard access(path, R_OK) == 0 else { throw .unreadable(path: path, errno: errno) }
        guard SSL_CTX_load_verify_file(context, path) == 1 else { throw .noCertificate(path: path) }
    }
}
