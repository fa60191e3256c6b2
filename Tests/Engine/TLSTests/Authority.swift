import ChildProcesses
import Foundation

/// A folder of certificates and keys, created with the `openssl` command.
final class Authority {
    let folder = NSTemporaryDirectory() + "belfry-tls-" + UUID().uuidString

    init() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func path(_ name: String) -> String { folder + "/" + name }

    func write(_ text: String, to name: String) throws -> String {
        try text.write(toFile: path(name), atomically: false, encoding: .utf8)
        return path(name)
    }

    @discardableResult
    func key(_ name: String, _ options: String = "-algorithm EC -pkeyopt ec_paramgen_curve:P-256") throws -> String {
        try openssl("genpkey \(options) -out \(path(name))")
        return path(name)
    }

    /// Creates a certificate that is valid for 30 days.
    @discardableResult
    func certificate(_ name: String, key: String) throws -> String {
        try openssl("req -x509 -key \(key) -out \(path(name)) -days 30 -subj /CN=localhost")
        return path(name)
    }

    /// Creates a certificate that expired yesterday.
    func expiredCertificate(_ name: String, key: String) throws -> String {
        let good = try certificate(name + "-good", key: key)
        try openssl("x509 -in \(good) -signkey \(key) -days -1 -out \(path(name))")
        return path(name)
    }
}
