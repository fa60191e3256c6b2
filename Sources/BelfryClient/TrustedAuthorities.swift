import TLS

/// The certificate authorities that a client trusts with `wss`.
///
/// Creating one takes time and memory, so share it among clients.
public final class TrustedAuthorities: Sendable {
    let trust: TLSTrust

    private init(_ trust: TLSTrust) { self.trust = trust }

    /// Trusts only the authorities in a file.
    ///
    /// - Parameter path: Certificates in PEM format.
    /// - Throws: `BelfryError` when the file cannot be read or contains none.
    public convenience init(file path: String) throws(BelfryError) {
        do throws(TLSError) {
            self.init(try TLSTrust(authoritiesPath: path))
        } catch {
            throw .noTrust("\(error)")
        }
    }

    /// Returns the system's trusted authorities, which are read once.
    static func system() throws(BelfryError) -> TrustedAuthorities { try systemResult.get() }

    private static let systemResult: Result<TrustedAuthorities, BelfryError> = {
        do throws(TLSError) {
            return .success(TrustedAuthorities(try TLSTrust()))
        } catch {
            return .failure(.noTrust("\(error)"))
        }
    }()
}
