import COpenSSL
import Glibc

/// Why a certificate and its key cannot be used: what is wrong with which file.
package enum TLSError: Error, Equatable, CustomStringConvertible {
    case unreadable(path: String, errno: Int32)
    case noCertificate(path: String)
    case noKey(path: String)
    /// A key with a passphrase; there is nobody to ask.
    case encryptedKey(path: String)
    /// The key is another certificate's.
    case mismatch(certificate: String, key: String)
    /// Too weak, or of a kind that OpenSSL does not use; `reason` is OpenSSL's.
    case refused(path: String, reason: String)
    /// This OpenSSL cannot do what the server needs, or memory is short.
    case library(reason: String)

    package var description: String {
        switch self {
        case .unreadable(let path, let errno): "\(path) cannot be read: \(String(cString: strerror(errno)))"
        case .noCertificate(let path): "\(path) holds no certificate in PEM form"
        case .noKey(let path): "\(path) holds no private key in PEM form"
        case .encryptedKey(let path): "\(path) is encrypted: give a key without a passphrase"
        case .mismatch(let certificate, let key):
            "the key in \(key) does not belong to the certificate in \(certificate)"
        case .refused(let path, let reason): "\(path) is refused: \(reason)"
        case .library(let reason): "OpenSSL cannot be used: \(reason)"
        }
    }
}

/// What OpenSSL has to say of a call that failed.
package struct TLSFailure: Error, CustomStringConvertible {
    private let code: UInt
    /// Of the system's call beneath; 0 when that did not fail.
    package let errno: Int32
    /// What is wrong with the peer's certificate; `X509_V_OK` when it was not looked at or is good.
    private let verdict: Int

    /// The first error of this thread's queue, which this empties; to be read before anything else is called.
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
        if code == 0 { return errno == 0 ? "the peer is gone" : String(cString: strerror(errno)) }
        guard let reason = ERR_reason_error_string(code) else { return "error \(code)" }
        return String(cString: reason)
    }

    /// The `errno` of a file that could not be opened.
    var fileErrno: Int32? { belfry_err_is_system(code) == 1 ? belfry_err_reason(code) : nil }

    func isOf(_ library: Int32, _ reason: Int32) -> Bool {
        belfry_err_library(code) == library && belfry_err_reason(code) == reason
    }
}
