#if Cluster
import ChildProcesses
import Foundation
import Synchronization

/// A `nats-server` process on loopback with a temporary store folder. `BELFRY_NATS_SERVER` names the program.
package final class NATSServer: Sendable {
    package struct Unavailable: Error {}

    package static let program = ProcessInfo.processInfo.environment["BELFRY_NATS_SERVER"]

    package let port: Int
    private let folder: String
    private let process = Mutex<ChildProcess?>(nil)

    /// - Parameter configuration: Lines of the configuration file besides the address.
    package init(port: Int? = nil, _ configuration: (_ folder: String) -> String = NATSServer.jetStream) throws {
        self.port = try port ?? NATSServer.freePort()
        folder = NSTemporaryDirectory() + "belfry-nats-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let text = "listen: \"127.0.0.1:\(self.port)\"\n" + configuration(folder)
        try text.write(toFile: folder + "/configuration", atomically: false, encoding: .utf8)
        try start()
    }

    deinit {
        kill()
        try? FileManager.default.removeItem(atPath: folder)
    }

    package static let jetStream: @Sendable (String) -> String = { folder in
        "jetstream { store_dir: \"\(folder)\", max_file_store: 1GB, sync_interval: always }"
    }

    /// Three servers that form a cluster.
    package static func cluster() throws -> [NATSServer] {
        let routes = try (0..<3).map { _ in try freePort() }
        return try routes.enumerated().map { index, route in
            try NATSServer { folder in
                """
                server_name: "\(index)"
                cluster {
                    name: "test", listen: "127.0.0.1:\(route)"
                    routes: [\(routes.map { "\"nats://127.0.0.1:\($0)\"" }.joined(separator: ", "))]
                }
                """ + "\n" + jetStream(folder)
            }
        }
    }

    package var url: String { "nats://127.0.0.1:\(port)" }

    package func start() throws {
        guard let program = Self.program else { throw Unavailable() }
        let process = try ChildProcess(program, ["-c", folder + "/configuration", "-l", folder + "/log"])
        self.process.withLock { $0 = process }
    }

    /// Kills the process, also while it is stopped.
    package func kill() {
        signal(SIGKILL)
        process.withLock { $0 }?.waitUntilExit()
    }

    package func signal(_ signal: Int32) {
        process.withLock { $0 }?.signal(signal)
    }

    package static func freePort() throws -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isBound else { throw Unavailable() }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}
#endif
