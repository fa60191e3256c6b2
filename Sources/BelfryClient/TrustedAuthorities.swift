import TLS

/// Whose certificates a client believes when it speaks `wss`.
///
/// Many clients share one: it takes time and memory to make.
public final class TrustedAuthorities: Sendable {
    let trust: TLSTrust

    private init(_ trust: TLSTrust) { self.trust = trust }

    /// Those of a file alone.
    ///
    /// - Parameter path: Certificates in PEM form.
    /// - Throws: `BelfryError` when it cannot be read or holds none.
    public convenience init(file path: String) throws(BelfryError) {
        do throws(TLSError) {
            self.init(try TLSTrust(authoritiesPath: path))
        } catch {
            throw .noTrust("\(error)")
        }
    }

    /// Those that the system trusts; read once.
    static func system() throws(BelfryError) -> TrustedAuthorities { try systemResult.get() }

    private static let systemResult: Result<TrustedAuthorities, BelfryError> = {
        do throws(TLSError) {
            return .success(TrustedAuthorities(try TLSTrust()))
        } catch {
            return .failure(.noTrust("\(error)"))
        }
    }()
}
