import Journal
import Testing

@testable import Belfry

@Suite struct ClusterSettingsTests {
    /// A change of the settings, and the beginning of the error that it causes.
    struct Change: Sendable {
        let error: String
        let apply: @Sendable (inout Configuration.Cluster) -> Void

        init(_ error: String = "", _ apply: @escaping @Sendable (inout Configuration.Cluster) -> Void) {
            self.error = error
            self.apply = apply
        }
    }

    /// A configuration with one NATS server and changes.
    private func configuration(_ change: (inout Configuration.Cluster) -> Void = { _ in }) -> Configuration {
        var configuration = Configuration()
        configuration.cluster.servers = ["nats://127.0.0.1:4222"]
        change(&configuration.cluster)
        return configuration
    }

    @Test func `only a mirror of the cluster's log acknowledges before a sync by default`() {
        var limits = Limits()
        #expect(limits.journalOptions(isMirror: false).durability == .fsync)
        #expect(limits.journalOptions(isMirror: true).durability == .interval)
        limits.durability = .fsync
        #expect(limits.journalOptions(isMirror: true).durability == .fsync)
        limits.durability = Durability.none
        #expect(limits.journalOptions(isMirror: false).durability == .none)
    }

    @Test(arguments: [
        "nats://host", "nats://host:4222", "tls://nats-1.example.com:4222", "nats://127.0.0.1:4222/",
        "nats://[::1]:4222",
    ])
    func `the URL of a NATS server has a scheme and a host`(url: String) {
        #expect(Configuration.Cluster.isServer(url))
    }

    @Test(arguments: [
        "", "host", "host:4222", "http://host", "nats://", "nats://:4222", "nats://a b", "nats://host/x",
        "nats://host?x=1",
        "nats://host:0", "nats://host:65536", "nats://\(String(repeating: "a", count: 2_048))",
    ])
    func `any other text is not the URL of a NATS server`(text: String) {
        #expect(!Configuration.Cluster.isServer(text))
    }

    @Test func `without NATS servers, nothing is checked and the server is the only node`() throws {
        try Configuration().checkCluster()
        #expect(!Configuration().cluster.isEnabled)
    }

    @Test(
        arguments: [
            Change("cluster.name", { $0.name = "other" }), Change("cluster.node", { $0.node = "a" }),
            Change("cluster.credentials_file", { $0.credentialsFile = "/a" }),
            Change("cluster.ca_file", { $0.authoritiesFile = "/a" }),
            Change("cluster.certificate_file", { $0.certificateFile = "/a" }),
            Change("cluster.key_file", { $0.keyFile = "/a" }),
            Change("cluster.replicas", { $0.replicas = 1 }), Change("cluster.max_bytes", { $0.maxBytes = 1 << 30 }),
            Change("cluster.keep_hours", { $0.keepHours = 1 }), Change("cluster.wait_seconds", { $0.waitSeconds = 1 }),
            Change("cluster.address", { $0.address = "a" }),
        ])
    func `a setting that has no effect without NATS servers is refused`(change: Change) {
        var configuration = configuration(change.apply)
        configuration.cluster.servers = []
        #expect { try configuration.checkCluster() } throws: {
            "\($0)".hasPrefix("\(change.error) needs cluster.url: ")
        }
    }

    #if Cluster
    @Test func `a node is named by its setting, or by its host up to the first dot`() throws {
        #expect(try configuration { $0.node = "a-1_B" }.cluster.nodeName() == "a-1_B")
        let host = try configuration().cluster.nodeName()
        #expect(!host.isEmpty && !host.contains("."))
    }

    @Test(arguments: [
        Change("cluster.url must be a list", { $0.servers.append("http://host") }),
        Change("cluster.url must not contain a user name or password", { $0.servers.append("nats://ann:secret@host") }),
        Change("cluster.name must be", { $0.name = "a.b" }), Change("cluster.name must be", { $0.name = "" }),
        Change("cluster.node must be", { $0.node = "a*" }),
        Change("cluster.node must be", { $0.node = String(repeating: "a", count: 65) }),
        Change("cluster.replicas must be", { $0.replicas = 2 }),
        Change("cluster.max_bytes must be", { $0.maxBytes = 16_777_215 }),
        Change("cluster.keep_hours must be", { $0.keepHours = -1 }),
        Change("cluster.keep_hours must be", { $0.keepHours = 8_761 }),
        Change("cluster.wait_seconds must be", { $0.waitSeconds = -1 }),
        Change("cluster.address must have", { $0.address = String(repeating: "a", count: 256) }),
        Change("cluster.wait_seconds must be", { $0.waitSeconds = 86_401 }),
        Change("cannot read \"/no/such\": ", { $0.credentialsFile = "/no/such" }),
        Change("cannot read \"/no/such\": ", { $0.authoritiesFile = "/no/such" }),
        Change("cannot read \"/no/such\": ", { ($0.certificateFile, $0.keyFile) = (#filePath, "/no/such") }),
        Change("cluster.certificate_file and cluster.key_file", { $0.keyFile = "/a" }),
        Change("cluster.certificate_file and cluster.key_file", { $0.certificateFile = "/a" }),
    ])
    func `a wrong value is refused with its setting, without a password`(change: Change) {
        #expect { try configuration(change.apply).checkCluster() } throws: {
            "\($0)".hasPrefix(change.error) && !"\($0)".contains("secret")
        }
    }

    @Test(arguments: [
        Change { _ in }, Change { $0.replicas = 5 }, Change { $0.maxBytes = 16_777_216 }, Change { $0.waitSeconds = 0 },
        Change { ($0.certificateFile, $0.keyFile) = (#filePath, #filePath) }, Change { $0.waitSeconds = 86_400 },
        Change { ($0.credentialsFile, $0.authoritiesFile) = (#filePath, #filePath) },
        Change { $0.address = String(repeating: "a", count: 255) },
        Change { $0.name = String(repeating: "a", count: 64) }, Change { $0.keepHours = 0 },
        Change { $0.keepHours = 8_760 },
    ])
    func `values within their limits are accepted`(change: Change) throws {
        try configuration(change.apply).checkCluster()
    }
    #else
    @Test func `a build without the trait refuses NATS servers and tells how to build`() {
        #expect { try configuration().checkCluster() } throws: { "\($0)".contains("swift build --traits Cluster") }
    }
    #endif
}
