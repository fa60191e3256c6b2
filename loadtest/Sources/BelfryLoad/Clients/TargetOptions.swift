import ArgumentParser
import BelfryClient
import Foundation

/// The server to load.
struct TargetOptions: ParsableArguments {
    @Option(help: "The server: ws://host:port/connection/websocket.")
    var url: String?

    @Option(help: "The belfry executable: starts a server on a free port for this run, and ends it.")
    var spawn: String?

    @Option(help: "The process of the server named by --url, whose CPU time is to be told.")
    var pid: Int32?

    @Option(name: .customLong("server-log-level"), help: "Log level of the spawned server.")
    var serverLogLevel = "warning"

    @Flag(help: "The spawned server speaks TLS with a certificate made by openssl, and is spoken to through it.")
    var tls = false

    @Option(help: "With a wss url: a PEM file of the certificates to trust instead of the system's.")
    var trust: String?

    func validate() throws {
        guard (url == nil) != (spawn == nil) else { throw ValidationError("give either --url or --spawn") }
        guard !tls || spawn != nil else { throw ValidationError("--tls is for --spawn; with --url give a wss url") }
        guard trust == nil || url?.hasPrefix("wss:") == true else { throw ValidationError("--trust is for a wss url") }
    }

    /// - Throws: `LoadError` if the server does not start or its key is unknown.
    func server() throws -> TargetServer {
        if let spawn {
            let spawned = try SpawnedServer(path: spawn, logLevel: serverLogLevel, speaksTLS: tls)
            return TargetServer(
                url: spawned.url, trusted: try spawned.certificate.map(TrustedAuthorities.init(file:)),
                trustFile: spawned.certificate, tokens: Tokens(secret: spawned.secret), pid: spawned.pid,
                executable: spawn, spawned: spawned)
        }
        guard let url else { throw LoadError("give either --url or --spawn") }
        guard let secret = ProcessInfo.processInfo.environment["BELFRY_TOKEN_SECRET"] else {
            throw LoadError("set BELFRY_TOKEN_SECRET to the server's, or use --spawn")
        }
        return TargetServer(
            url: url, trusted: try trust.map(TrustedAuthorities.init(file:)), trustFile: trust,
            tokens: Tokens(secret: secret), pid: pid,
            executable: nil, spawned: nil)
    }
}

/// The server of a run: spawned by this process, or already running.
struct TargetServer {
    let url: String
    /// The trusted certificates; nil for the system's.
    let trusted: TrustedAuthorities?
    let trustFile: String?
    let tokens: Tokens
    /// `nil` when unknown.
    let pid: Int32?
    fileprivate let executable: String?
    fileprivate let spawned: SpawnedServer?

    var isRunning: Bool { spawned?.isRunning ?? true }
    func stop() { spawned?.stop() }

    /// Whether clients connect over TLS.
    var speaksTLS: Bool { url.hasPrefix("wss:") }

    /// Returns the output of `belfry --version`; nil for a server that was already running.
    func version() -> String? { executable.flatMap(Self.version) }

    static func version(of executable: String) -> String? {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = ["--version"]
        process.standardOutput = output
        guard (try? process.run()) != nil else { return nil }
        let text = (try? output.fileHandleForReading.readToEnd()).map { String(decoding: $0, as: UTF8.self) }
        process.waitUntilExit()
        return text?.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    func crowd(concurrency: Int = 64, progress: Progress) -> Crowd {
        Crowd(
            url: url, trusted: trusted, trustFile: trustFile, tokens: tokens, concurrency: concurrency,
            progress: progress)
    }
}
