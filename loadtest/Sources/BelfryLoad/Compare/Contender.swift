import Foundation
import LoadReport
import RawLoad

/// A server in a comparison: Belfry, an alternative, or a bare loop of `send`.
struct Contender {
    let name: String
    /// A description of the server, with its version.
    let about: String
    let role: Report.Comparison.Contender.Role
    let dialect: Dialect
    let port: UInt16
    let pid: Int32
    let stop: () -> Void
}

/// Another server as described in a file, to which `loadtest/compare` writes one line per installed server.
///
///     {"name": "node ws", "about": "ws 8.11.0 on Node 20.20.2", "command": ["node", "node-ws.js", "PORT"], "cases": ["fanout", "rooms"]}
struct PeerDescription: Decodable {
    var name: String
    var about: String
    /// `PORT` is replaced by the port to listen on.
    var command: [String]
    /// Whether it is the bare loop of `send`, without WebSocket.
    var isFloor: Bool?
    /// Whether it speaks version 1 of the Centrifuge protocol; the others forward every text.
    var isCentrifuge: Bool?
    /// The cases that it takes part in; only `fanout` when left out.
    var cases: [CompareCase]?

    func takesPart(in compareCase: CompareCase) -> Bool { (cases ?? [.fanout]).contains(compareCase) }

    /// Reads a file with one JSON object per line; empty lines are ignored.
    static func all(in file: String) throws -> [PeerDescription] {
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
        return try lines.enumerated().map { number, line in
            do {
                return try JSONDecoder().decode(PeerDescription.self, from: Data(line.utf8))
            } catch {
                throw LoadError("\(file), line \(number + 1): not a description of a server: \(error)")
            }
        }
    }
}

/// A server that can take part in a comparison, as often as it is started.
enum Entrant {
    case belfry(path: String)
    case peer(PeerDescription)

    func start() throws -> Contender {
        switch self {
        case .belfry(let path): try Contender.belfry(path)
        case .peer(let description): try Contender.start(description)
        }
    }
}

extension Contender {
    /// Starts a peer on a free port, and waits until it listens there.
    static func start(_ peer: PeerDescription) throws -> Contender {
        let port = try freePort()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        // The peer must not outlive an aborted comparison.
        process.arguments =
            ["setpriv", "--pdeathsig", "TERM"]
            + peer.command.map { $0.replacingOccurrences(of: "PORT", with: String(port)) }
        process.standardOutput = FileHandle.nullDevice
        try withSignalsUnblocked { try process.run() }
        let deadline = Clock.now + 10_000_000_000
        while !listens(port) {
            guard process.isRunning, Clock.now < deadline else {
                process.terminate()
                throw LoadError("\(peer.name) does not listen: \(process.arguments?.joined(separator: " ") ?? "")")
            }
            usleep(50_000)
        }
        let isFloor = peer.isFloor ?? false
        let way: Dialect.Way = isFloor ? .bare : peer.isCentrifuge ?? false ? .centrifuge : .plain
        return Contender(
            name: peer.name, about: peer.about, role: isFloor ? .floor : .peer,
            dialect: Dialect(way), port: port, pid: process.processIdentifier, stop: { stop(process) })
    }

    /// Terminates the process, after two seconds with SIGKILL.
    private static func stop(_ process: Process) {
        process.terminate()
        let deadline = Clock.now + 2_000_000_000
        while process.isRunning, Clock.now < deadline { usleep(20_000) }
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }

    /// Unblocks signals while the body starts a child. A child inherits the mask of its parent thread, and Dispatch's
    /// threads block every signal, so a child that does not set its own mask could not be terminated.
    private static func withSignalsUnblocked(_ body: () throws -> Void) rethrows {
        var (all, before) = (sigset_t(), sigset_t())
        sigfillset(&all)
        pthread_sigmask(SIG_UNBLOCK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try body()
    }

    /// Starts the whole product: tokens, JSON commands, the chat, and a journal that is synced before acknowledgement.
    static func belfry(_ path: String) throws -> Contender {
        let server = try SpawnedServer(path: path, logLevel: "warning")
        guard let port = URL(string: server.url)?.port.flatMap({ UInt16(exactly: $0) }) else {
            throw LoadError("no port in \(server.url)")
        }
        let tokens = Tokens(secret: server.secret)
        // With short names, an event has about 300 bytes, for which the goals are set.
        let way = Dialect.Way.belfry(channel: "c", token: { try tokens.token(for: $0) })
        return Contender(
            name: "Belfry", about: "with token, JSON commands, chat and journal (fsync)", role: .belfry,
            dialect: Dialect(way), port: port, pid: server.pid, stop: server.stop)
    }

    private static func freePort() throws -> UInt16 {
        try withSocket { descriptor, address in
            let length = socklen_t(MemoryLayout<sockaddr_in>.size)
            guard bind(descriptor, &address, length) == 0 else { throw LoadError("no free port") }
            var (bound, boundLength) = (sockaddr_in(), length)
            let named = withUnsafeMutablePointer(to: &bound) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &boundLength) }
            }
            guard named == 0 else { throw LoadError("no free port") }
            return UInt16(bigEndian: bound.sin_port)
        }
    }

    private static func listens(_ port: UInt16) -> Bool {
        (try? withSocket(port) { descriptor, address in
            connect(descriptor, &address, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }) ?? false
    }

    private static func withSocket<Result>(
        _ port: UInt16 = 0, _ body: (Int32, inout sockaddr) throws -> Result
    ) throws -> Result {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw LoadError("no socket") }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        return try withUnsafeMutablePointer(to: &address) {
            try $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { try body(descriptor, &$0.pointee) }
        }
    }
}
