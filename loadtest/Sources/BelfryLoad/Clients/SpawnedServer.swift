import Foundation
import Glibc

/// A server process for one run, on a free loopback port with its own keys and data folder.
final class SpawnedServer {
    let url: String
    let pid: Int32
    let secret: String
    /// The certificate file of a TLS server.
    let certificate: String?
    private let process: Process
    private let folder: URL

    /// - Parameters:
    ///   - path: The `belfry` executable.
    ///   - speaksTLS: Whether clients connect over TLS.
    /// - Throws: `LoadError` if the server does not announce its address.
    init(path: String, logLevel: String, speaksTLS: Bool = false) throws {
        secret = Self.key(bytes: 32)
        folder = FileManager.default.temporaryDirectory.appending(path: "belfry-load-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let paths = (certificate: folder.path + "/certificate.pem", key: folder.path + "/key.pem")
        if speaksTLS { try Self.makeCertificate(paths.certificate, paths.key) }
        certificate = speaksTLS ? paths.certificate : nil
        process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = ["serve", "--port", "0", "--data", folder.path + "/data", "--log-level", logLevel]
        if speaksTLS {
            process.arguments? += ["--tls-port", "0", "--tls-certificate", paths.certificate, "--tls-key", paths.key]
        }
        var environment = ProcessInfo.processInfo.environment
        environment["BELFRY_TOKEN_SECRET"] = secret
        environment["BELFRY_API_KEY"] = Self.key(bytes: 24)
        // The test measures the server's capacity, not the limits of one client.
        for name in ["COMMANDS_PER_SECOND", "COMMANDS_AT_ONCE", "USER_COMMANDS_PER_SECOND", "USER_COMMANDS_AT_ONCE"] {
            environment["BELFRY_CONNECTIONS_" + name] = "1000000"
        }
        for name in ["CHANNELS_PER_CREATOR", "CREATIONS_AT_ONCE", "CREATIONS_PER_MINUTE"] {
            environment["BELFRY_CHAT_" + name] = "1000000"
        }
        environment["BELFRY_WORK_USER_US_PER_SECOND"] = "1000000"
        environment["BELFRY_WORK_USER_US_AT_ONCE"] = "60000000"
        for name in ["BYTES_PER_SECOND", "BYTES_AT_ONCE"] { environment["BELFRY_WORK_USER_" + name] = "1000000000" }
        process.environment = environment
        let output = Pipe()
        process.standardOutput = output
        do {
            try process.run()
        } catch {
            throw LoadError("cannot start \(path): \(error.localizedDescription)")
        }
        guard let line = Self.firstLine(of: output.fileHandleForReading),
            let announcement = try? JSONDecoder().decode(Announcement.self, from: line)
        else {
            process.terminate()
            throw LoadError("\(path) did not print its address")
        }
        let place = announcement.tls ?? announcement.listening
        url = "\(speaksTLS ? "wss" : "ws")://\(place.host):\(place.port)/connection/websocket"
        pid = announcement.pid
    }

    var isRunning: Bool { process.isRunning }

    /// Terminates the server, after five seconds with SIGKILL.
    func stop() {
        process.terminate()
        let deadline = Clock.now + 5_000_000_000
        while process.isRunning, Clock.now < deadline { usleep(20_000) }
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }

    private struct Announcement: Decodable {
        struct Listening: Decodable {
            let host: String
            let port: Int
        }
        let listening: Listening
        let tls: Listening?
        let pid: Int32
    }

    /// Creates a self-signed ECDSA certificate for 127.0.0.1.
    private static func makeCertificate(_ certificate: String, _ key: String) throws {
        let openssl = Process()
        openssl.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        openssl.arguments = [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
            "-subj", "/CN=belfry-load", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate,
        ]
        openssl.standardError = FileHandle.nullDevice
        try openssl.run()
        openssl.waitUntilExit()
        guard openssl.terminationStatus == 0 else { throw LoadError("openssl could not generate a certificate") }
    }

    private static func firstLine(of handle: FileHandle) -> Data? {
        var line = Data()
        while let byte = try? handle.read(upToCount: 1), !byte.isEmpty {
            if byte == Data([0x0A]) { return line }
            line += byte
        }
        return nil
    }

    private static func key(bytes: Int) -> String {
        (0..<bytes).map { _ in
            let byte = UInt8.random(in: .min ... .max)
            return (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }
}
