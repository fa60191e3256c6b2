import COpenSSL

/// A certificate with its key, and the TLS configuration of connections that use it: TLS 1.2 and 1.3 with the ciphers
/// of Mozilla's "intermediate" list, ALPN `http/1.1`, no compression (RFC 7525 §3.3), no renegotiation.
///
/// Immutable after initialization. OpenSSL counts references atomically, so all loops may use it concurrently.
package final class TLSContext: @unchecked Sendable {
    let pointer: OpaquePointer
    /// The time when the certificate expires, in seconds since 1970; nil if it cannot be read.
    package let expiry: Int64?
    /// Whether the certificate was within its validity period when it was loaded.
    package let isCurrent: Bool

    /// - Parameters:
    ///   - certificatePath: A PEM file with the server's certificate, followed by its intermediates.
    ///   - keyPath: A PEM file with the certificate's private key, without a passphrase.
    /// - Throws: `TLSError` if a file cannot be read or has the wrong contents, a key is too weak, or the key does not
    ///   match the certificate.
    package init(certificatePath: String, keyPath: String) throws(TLSError) {
        ERR_clear_error()
        guard let context = SSL_CTX_new(TLS_server_method()) else { throw .library(reason: "\(TLSFailure())") }
        do throws(TLSError) {
            guard belfry_ssl_ctx_configure_server(context) == 1 else { throw .library(reason: "\(TLSFailure())") }
            // Errors from which OpenSSL has recovered remain in its queue.
            ERR_clear_error()
            try Self.use(certificate: certificatePath, in: context)
            try Self.use(key: keyPath, of: certificatePath, in: context)
        } catch {
            SSL_CTX_free(context)
            throw error
        }
        pointer = context
        let certificate = SSL_CTX_get0_certificate(context)
        let seconds = certificate.map(belfry_x509_expiry) ?? -1
        expiry = seconds < 0 ? nil : seconds
        isCurrent =
            certificate.map {
                X509_cmp_current_time(X509_get0_notBefore($0)) < 0 && X509_cmp_current_time(X509_get0_notAfter($0)) > 0
            } ?? false
    }

    deinit { SSL_CTX_free(pointer) }

    private static func use(certificate path: String, in context: OpaquePointer) throws(TLSError) {
        guard SSL_CTX_use_certificate_chain_file(context, path) != 1 else { return }
        let failure = TLSFailure()
        if let errno = failure.fileErrno { throw .unreadable(path: path, errno: errno) }
        if failure.matches(ERR_LIB_PEM, PEM_R_NO_START_LINE) { throw .noCertificate(path: path) }
        throw .refused(path: path, reason: "\(failure)")
    }

    private static func use(key path: String, of certificate: String, in context: OpaquePointer) throws(TLSError) {
        guard SSL_CTX_use_PrivateKey_file(context, path, SSL_FILETYPE_PEM) == 1 else {
            let failure = TLSFailure()
            if let errno = failure.fileErrno { throw .unreadable(path: path, errno: errno) }
            // There is one error code for each of the two formats of encrypted keys.
            if failure.matches(ERR_LIB_PEM, PEM_R_BAD_PASSWORD_READ)
                || failure.matches(ERR_LIB_CRYPTO, Int32(truncatingIfNeeded: ERR_R_INTERRUPTED_OR_CANCELLED))
            {
                throw .encryptedKey(path: path)
            }
            // The second code means that the PEM data is of another type.
            if failure.matches(ERR_LIB_PEM, PEM_R_NO_START_LINE)
                || failure.matches(ERR_LIB_OSSL_DECODER, Int32(truncatingIfNeeded: ERR_R_UNSUPPORTED))
            {
                throw .noKey(path: path)
            }
            if failure.matches(ERR_LIB_X509, X509_R_KEY_VALUES_MISMATCH) {
                throw .mismatch(certificate: certificate, key: path)
            }
            throw .refused(path: path, reason: "\(failure)")
        }
        // OpenSSL accepts a key whose type differs from the certificate's, but then has no certificate for it.
        guard SSL_CTX_check_private_key(context) == 1 else {
            ERR_clear_error()
            throw .mismatch(certificate: certificate, key: path)
        }
    }
}
