import ChildProcesses
import Foundation
import TLS
import Testing

@Suite struct TLSContextTests {
    private func error(_ certificate: String, _ key: String) -> TLSError? {
        do throws(TLSError) {
            _ = try TLSContext(certificatePath: certificate, keyPath: key)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        "-algorithm EC -pkeyopt ec_paramgen_curve:P-256", "-algorithm RSA -pkeyopt rsa_keygen_bits:2048",
        "-algorithm ED25519",
    ])
    func `a certificate and its key are accepted for every key type`(kind: String) throws {
        let authority = try Authority()
        let key = try authority.key("key", kind)
        let context = try TLSContext(certificatePath: authority.certificate("certificate", key: key), keyPath: key)
        #expect(context.isCurrent)
        let expiry = try #require(context.expiry)
        let days = (Double(expiry) - Date().timeIntervalSince1970) / 86_400
        #expect((29...31).contains(days))
    }

    @Test func `an expired certificate is accepted and reported as expired`() throws {
        let authority = try Authority()
        let key = try authority.key("key")
        let certificate = try authority.expiredCertificate("certificate", key: key)
        let context = try TLSContext(certificatePath: certificate, keyPath: key)
        #expect(!context.isCurrent && context.expiry ?? .max < Int64(Date().timeIntervalSince1970))
    }

    @Test func `a missing file is reported by name with the system's error`() throws {
        let authority = try Authority()
        let key = try authority.key("key")
        let certificate = try authority.certificate("certificate", key: key)
        let absent = authority.path("absent")
        #expect(error(absent, key) == .unreadable(path: absent, errno: ENOENT))
        #expect(error(certificate, absent) == .unreadable(path: absent, errno: ENOENT))
        let said = try #require(error(absent, key)).description
        #expect(said == "cannot read \"\(absent)\": No such file or directory")
    }

    @Test func `a file without a certificate or key is reported`() throws {
        let authority = try Authority()
        let key = try authority.key("key")
        let certificate = try authority.certificate("certificate", key: key)
        let empty = try authority.write("", to: "empty")
        let prose = try authority.write("no certificate at all\n", to: "prose")
        for path in [key, empty, prose, authority.folder] {
            #expect(error(path, key) == .noCertificate(path: path))
        }
        for path in [certificate, empty, prose] { #expect(error(certificate, path) == .noKey(path: path)) }
    }

    @Test func `another certificate's key is refused, whether of the same kind or not`() throws {
        let authority = try Authority()
        let key = try authority.key("key")
        let certificate = try authority.certificate("certificate", key: key)
        let other = try authority.key("other")
        let another = try authority.key("another", "-algorithm RSA -pkeyopt rsa_keygen_bits:2048")
        for path in [other, another] {
            #expect(error(certificate, path) == .mismatch(certificate: certificate, key: path))
        }
    }

    @Test func `an encrypted key is refused without asking for the passphrase`() throws {
        let authority = try Authority()
        let key = try authority.key("key")
        let certificate = try authority.certificate("certificate", key: key)
        let locked = try authority.key(
            "locked", "-algorithm EC -pkeyopt ec_paramgen_curve:P-256 -aes-128-cbc -pass pass:secret")
        #expect(error(certificate, locked) == .encryptedKey(path: locked))
        let old = authority.path("old")
        try openssl("ec -in \(key) -aes128 -passout pass:secret -out \(old)")
        #expect(error(certificate, old) == .encryptedKey(path: old), "the older form")
    }

    @Test func `a weak key is refused`() throws {
        let authority = try Authority()
        let weak = try authority.key("weak", "-algorithm RSA -pkeyopt rsa_keygen_bits:1024")
        let certificate = try authority.certificate("certificate", key: weak)
        #expect(error(certificate, weak) == .refused(path: certificate, reason: "ee key too small"))
    }

    @Test func `a truncated certificate is refused`() throws {
        let authority = try Authority()
        let key = try authority.key("key")
        let text = try String(contentsOfFile: authority.certificate("certificate", key: key), encoding: .utf8)
        let cut = try authority.write(String(text.prefix(300)), to: "cut")
        guard case .refused(cut, _) = error(cut, key) else {
            Issue.record("\(String(describing: error(cut, key)))")
            return
        }
    }
}
