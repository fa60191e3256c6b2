#if Cluster
import ClusterSupport
import CoreMetrics
import Foundation
import LiveServers
import Logging
import Replication
import Synchronization
import Testing

@testable import Belfry
@testable import NATS

/// Opening a cluster's log as a server does when it starts.
@Suite(.enabled(if: NATSServer.program != nil, "BELFRY_NATS_SERVER names no server"))
struct ClusterLinkTests {
    private let logs = TestLogs()

    private func configuration(
        _ servers: [String], _ change: (inout Configuration.Cluster) -> Void = { _ in }
    ) -> Configuration {
        var configuration = Configuration()
        configuration.cluster.servers = servers
        configuration.cluster.name = "test"
        configuration.cluster.node = "ann"
        configuration.cluster.replicas = 1
        configuration.cluster.waitSeconds = 60
        change(&configuration.cluster)
        return configuration
    }

    private func open(_ configuration: Configuration) async throws -> ClusterLink {
        try await ClusterLink.open(configuration, logger: logs.logger, metrics: NOOPMetricsHandler.instance)
    }

    /// - Returns: The error's text and exit code.
    private func refusal(_ configuration: Configuration) async throws -> (text: String, code: Int32) {
        let error = try await #require(throws: ConfigurationError.self) { try await open(configuration) }
        return (error.description, error.exitCode)
    }

    /// Creates a log with its first message.
    private func createLog(_ server: NATSServer, incarnation: UInt64 = 1, hasGenesis: Bool = true) async throws {
        let client = try Client([server])
        let settings = try StreamSettings(cluster: "test", incarnation: incarnation, replicas: 1)
        let log = try await client.open(settings).get()
        if hasGenesis { #expect(try await log.append("genesis", after: 0) == .stored(1)) }
        client.connection.close()
    }

    @Test func `the newest incarnation of the log is opened`() async throws {
        let server = try NATSServer()
        for incarnation in [1, 2, 10] as [UInt64] { try await createLog(server, incarnation: incarnation) }
        let link = try await open(configuration([server.url]))
        #expect(link.node.name == "ann" && link.cluster == "belfry-test-10")
        #expect(try await link.store.append("a", after: 1) == .stored(2))
        let service = link.bus.serve("echo") { message, reply in reply?(message) }
        #expect(await result { link.bus.request([7], to: "echo", milliseconds: 60_000, $0) } == .reply([7]))
        withExtendedLifetime(service) {}
        link.close()
        try await eventually { await link.store.boundsOnce() == .failure(.unreachable) }
        #expect(logs.all.contains("notice: the cluster's log is not fault tolerant: it has one replica"))
        #expect(logs.all.contains("notice: connected to NATS"))
    }

    @Test func `two processes with the same node name are different nodes`() async throws {
        let server = try NATSServer()
        try await createLog(server)
        let links = [try await open(configuration([server.url])), try await open(configuration([server.url]))]
        #expect(links[0].node != links[1].node && links[0].node.name == links[1].node.name)
        for link in links { link.close() }
    }

    @Test func `startup waits for a server that starts later`() async throws {
        let server = try NATSServer()
        try await createLog(server)
        server.kill()
        async let link = open(configuration([server.url]) { $0.waitSeconds = 0 })
        try await eventually { logs.all.contains("warning: no connection to NATS") }
        try server.start()
        try await link.close()
    }

    @Test func `an unreachable server is reported when the time is up`() async throws {
        let port = try NATSServer.freePort()
        let refusal = try await refusal(configuration(["nats://127.0.0.1:\(port)"]) { $0.waitSeconds = 1 })
        #expect(refusal.text.hasPrefix("cannot reach the NATS server 127.0.0.1:\(port): "))
        #expect(refusal.code == 69)
    }

    @Test func `a server without JetStream is refused`() async throws {
        let server = try NATSServer { _ in "" }
        let refusal = try await refusal(configuration([server.url]))
        #expect(refusal.text == "the NATS server has no JetStream: nobody serves its API" && refusal.code == 78)
    }

    @Test func `a missing log is not created, and the error names the command that does`() async throws {
        let server = try NATSServer()
        let other = try Client([server])
        _ = try await other.log("test-1")
        for _ in 1...2 {
            let refusal = try await refusal(configuration([server.url]))
            #expect(refusal.text.contains("belfry cluster create") && refusal.code == 78)
        }
    }

    @Test func `a log without its first message is refused`() async throws {
        let server = try NATSServer()
        try await createLog(server, hasGenesis: false)
        let refusal = try await refusal(configuration([server.url]))
        #expect(refusal.text.contains("has no first message") && refusal.code == 78)
    }

    @Test func `a sealed log is not opened, because another one has replaced it`() async throws {
        let server = try NATSServer()
        try await createLog(server)
        let client = try Client([server])
        let log = try await client.log()
        try await result { log.seal($0) }.get()
        let refusal = try await refusal(configuration([server.url]))
        #expect(refusal.text.hasSuffix("run belfry cluster recreate") && refusal.code == 78)
    }

    @Test func `a log with another number of replicas is refused`() async throws {
        let server = try NATSServer()
        try await createLog(server)
        let refusal = try await refusal(configuration([server.url]) { $0.replicas = 3 })
        #expect(refusal.text.contains("\"num_replicas\": cluster.replicas must be") && refusal.code == 78)
    }

    @Test func `a stream of something else is refused`() async throws {
        let server = try NATSServer()
        let client = try Client([server])
        let body = """
            {"name":"belfry-test-1","subjects":["belfry.test.1.log"],"storage":"file","num_replicas":1,"discard":"new",
            "retention":"limits","allow_direct":true,"republish":{"src":"belfry.test.1.log","dest":"belfry.test.1.live"}}
            """
        let created = await result { done in
            client.connection.ask("STREAM.CREATE.belfry-test-1", Array(body.utf8), milliseconds: 60_000) {
                done($0.map { $0.error?.description })
            }
        }
        #expect(try created.get() == nil)
        let refusal = try await refusal(configuration([server.url]))
        #expect(refusal.text.contains("choose another cluster.name") && refusal.code == 78)
    }

    @Test func `a file with a user and a password signs in`() async throws {
        let server = try NATSServer {
            "authorization { user: ann, password: \"se:cret\" }\n" + NATSServer.jetStream($0)
        }
        let file = try TemporaryFile("ann:se:cret\n")
        let missing = try await refusal(configuration([server.url]) { $0.credentialsFile = file.path })
        #expect(missing.text.contains("belfry cluster create"))
        let wrong = try TemporaryFile("ann:other")
        for path in [nil, wrong.path] {
            let refusal = try await refusal(configuration([server.url]) { $0.credentialsFile = path })
            #expect(refusal.text.hasSuffix(": check cluster.credentials_file") && refusal.code == 78)
            #expect(!refusal.text.contains("other"))
        }
    }

    @Test func `a file that is no certificate is named without waiting for ever`() async throws {
        let server = try NATSServer()
        let file = try TemporaryFile("no certificate")
        let refusal = try await refusal(
            configuration([server.url]) { ($0.authoritiesFile, $0.waitSeconds) = (file.path, 0) })
        #expect(refusal.text.hasPrefix("cannot use \"\(file.path)\": ") && refusal.code == 78)
    }

    @Test func `a certificate by another authority is refused`() async throws {
        let files = try CertificateFiles()
        for name in ["authority", "other"] { try files.authority(name) }
        try files.certificate("server", by: "authority", for: "IP:127.0.0.1")
        let server = try NATSServer { folder in
            "tls { cert_file: \"\(files.path("server.pem"))\", key_file: \"\(files.path("server.key"))\" }\n"
                + NATSServer.jetStream(folder)
        }
        let right = try await refusal(
            configuration([server.url]) { $0.authoritiesFile = files.path("authority.pem") })
        #expect(right.text.contains("belfry cluster create"))
        let wrong = try await refusal(configuration([server.url]) { $0.authoritiesFile = files.path("other.pem") })
        #expect(wrong.text.hasSuffix(": check cluster.ca_file and cluster.certificate_file") && wrong.code == 78)
    }

    @Test func `a lost connection is counted and logged`() async throws {
        let server = try NATSServer()
        try await createLog(server)
        let registry = PrometheusRegistry()
        let link = try await ClusterLink.open(configuration([server.url]), logger: logs.logger, metrics: registry)
        #expect(registry.text().contains("\nbelfry_nats_connected 1\n"))
        server.kill()
        try await eventually { registry.text().contains("\nbelfry_nats_connected 0\n") }
        #expect(registry.text().contains("\nbelfry_nats_disconnects_total 1\n"))
        try server.start()
        try await eventually { registry.text().contains("\nbelfry_nats_connected 1\n") }
        link.close()
        try await eventually { registry.text().contains("\nbelfry_nats_connected 0\n") }
        #expect(registry.text().contains("\nbelfry_nats_disconnects_total 1\n"))
    }
}

/// What was logged: the level and the message.
private final class TestLogs: Sendable {
    private let messages = Mutex<[String]>([])

    var all: [String] { messages.withLock { $0 } }

    var logger: Logger {
        Logger(label: "test") { _ in Handler(append: { line in self.messages.withLock { $0.append(line) } }) }
    }

    private struct Handler: LogHandler {
        let append: @Sendable (String) -> Void
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.info

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { append("\(event.level): \(event.message)") }
    }
}
#endif
