#if Cluster
import ChildProcesses
import Foundation

/// A folder of certificates and keys, created with the `openssl` command.
final class CertificateFiles: Sendable {
    private let folder = NSTemporaryDirectory() + "belfry-nats-tls-" + UUID().uuidString

    init() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func path(_ name: String) -> String { folder + "/" + name }

    func authority(_ name: String) throws {
        try openssl("req -x509 \(newKey(name)) -subj /CN=\(name)")
    }

    func certificate(_ name: String, by authority: String, for names: String) throws {
        try openssl(
            "req -x509 \(newKey(name)) -subj /CN=\(name) -addext subjectAltName=\(names) "
                + "-addext basicConstraints=critical,CA:FALSE "
                + "-CA \(path("\(authority).pem")) -CAkey \(path("\(authority).key"))")
    }

    private func newKey(_ name: String) -> String {
        "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 "
            + "-keyout \(path("\(name).key")) -out \(path("\(name).pem"))"
    }
}
#endif
