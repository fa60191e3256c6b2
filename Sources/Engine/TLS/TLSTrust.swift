import COpenSSL
import Glibc

/// The certificate authorities that a client trusts. Protocols and ciphers are the same as in `TLSContext`.
///
/// Create it only once, because loading takes time and memory. It is then immutable, and OpenSSL counts references
/// atomically, so all loops may use it concurrently.
package final class TLSTrust: @unchecked Sendable {
    let pointer: OpaquePointer

    /// - Parameter authoritiesPath: A PEM file of certificates; nil for the authorities that the system trusts.
    /// - Throws: `TLSError` if the file cannot be read or contains no certificate.
    package init(authoritiesPath: String? = nil) throws(TLSError) {
        ERR_clear_error()
        guard let context = SSL_CTX_new(TLS_client_method()) else { throw .library(reason: "\(TLSFailure())") }
        do throws(TLSError) {
            guard belfry_ssl_ctx_configure_client(context) == 1 else { throw .library(reason: "\(TLSFailure())") }
            try Self.trust(authoritiesPath, in: context)
            // Errors from which OpenSSL has recovered remain in its queue.
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
