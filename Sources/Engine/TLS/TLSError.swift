import COpenSSL
import Glibc

/// An error in a certificate or its key, with the file that causes it.
package enum TLSError: Error, Equatable, CustomStringConvertible {
    case unreadable(path: String, errno: Int32)
    case noCertificate(path: String)
    case noKey(path: String)
    /// The key has a passphrase, which nobody could enter.
    case encryptedKey(path: String)
    /// The key belongs to another certificate.
    case mismatch(certificate: String, key: String)
    /// The key or certificate is too weak, or of a type that OpenSSL does not support. `reason` comes from OpenSSL.
    case refused(path: String, reason: String)
    /// This version of OpenSSL lacks a required feature, or memory ran out.
    case library(reason: String)

    package var description: String {
        switch self {
        case .unreadable(let path, let errno): "cannot read \"\(path)\": \(String(cString: strerror(errno)))"
        case .noCertificate(let path): "\"\(path)\" contains no certificate in PEM format"
        case .noKey(let path): "\"\(path)\" contains no private key in PEM format"
        case .encryptedKey(let path): "\"\(path)\" is encrypted: use a key without a passphrase"
        case .mismatch(let certificate, let key):
            "the key in \"\(key)\" does not belong to the certificate in \"\(certificate)\""
        case .refused(let path, let reason): "cannot use \"\(path)\": \(reason)"
        case .library(let reason): "cannot use OpenSSL: \(reason)"
        }
    }
}

/// OpenSSL's reason for a failed call.
package struct TLSFailure: Error, CustomStringConvertible {
    private let code: UInt
    /// The `errno` of the underlying system call; 0 if it did not fail.
    package let errno: Int32
    /// The result of verifying the peer's certificate; `X509_V_OK` if it is valid or was not checked.
    private let verdict: Int

    /// Reads the first error from this thread's queue and clears the queue. Call it immediately after the failed call.
    init(verdict: Int = Int(X509_V_OK)) {
        errno = Glibc.errno
        code = ERR_peek_error()
        self.verdict = verdict
        ERR_clear_error()
    }

    package var description: String {
        if verdict != Int(X509_V_OK), let reason = X509_verify_cert_error_string(verdict) {
            return "the certificate is not trusted: \(String(cString: reason))"
        }
        if code == 0 { return errno == 0 ? "the peer closed the connection" : String(cString: strerror(errno)) }
        guard let reason = ERR_reason_error_string(code) else { return "error \(code)" }
        return String(cString: reason)
    }

    /// The `errno` of a file that could not be opened, if that was the error.
    var fileErrno: Int32? { belfry_err_is_system(code) == 1 ? belfry_err_reason(code) : nil }

    func matches(_ library: Int32, _ reason: Int32) -> Bool {
        belfry_err_library(code) == library && belfry_err_reason(code) == reason
    }
}
