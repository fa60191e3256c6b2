#if Cluster
import Foundation
import LiveServers
import NATS
import Replication
import Testing

@Suite(.enabled(if: NATSServer.program != nil, "BELFRY_NATS_SERVER names no server"))
struct NATSTLSTests {
    private let files: CertificateFiles

    init() throws {
        files = try CertificateFiles()
        try files.authority("authority")
        try files.certificate("server", by: "authority", for: "IP:127.0.0.1,DNS:localhost")
    }

    private func server(_ certificate: String = "server", verifying: Bool = false) throws -> NATSServer {
        try NATSServer { folder in
            """
            tls {
                cert_file: "\(files.path("\(certificate).pem"))", key_file: "\(files.path("\(certificate).key"))"
                ca_file: "\(files.path("authority.pem"))", verify: \(verifying)
            }
            """ + "\n" + NATSServer.jetStream(folder)
        }
    }

    private func expectWrongCertificate(_ client: Client, of server: NATSServer) async throws {
        try await eventually {
            if case .wrongCertificate(server: "127.0.0.1:\(server.port)", _) = client.failure { true } else { false }
        }
    }

    @Test(arguments: ["127.0.0.1", "localhost"])
    func `messages of any size pass through TLS`(host: String) async throws {
        let server = try server()
        let client = try Client(
            urls: ["tls://\(host):\(server.port)"], tls: .init(authorities: files.path("authority.pem")))
        let log = try await client.log()
        let texts = [1, 16_000, 17_000, 900_000].map { String(repeating: "a", count: $0) }
        for (index, text) in texts.enumerated() {
            #expect(try await log.append(text, after: UInt64(index), id: "\(index)") == .stored(UInt64(index + 1)))
        }
        #expect(try await log.texts() == texts)
    }

    @Test func `a stopped server counts as lost even if it reads no more bytes`() async throws {
        let server = try server()
        let client = try Client([server], tls: .init(authorities: files.path("authority.pem")))
        let log = try await client.log()
        server.signal(SIGSTOP)
        // More than the buffers of both sockets hold.
        let message = [UInt8](repeating: 0, count: 1 << 19)
        let outcomes = Received<AppendOutcome>()
        for id in 0..<24 { log.append(message, expecting: 0, id: "\(id)") { outcomes.append($0) } }
        try await eventually { client.failure != nil && outcomes.all.count == 24 }
        #expect(outcomes.all.allSatisfy { $0 == .unknown })
        server.signal(SIGCONT)
        try await eventually { client.isConnected }
    }

    @Test func `a client certificate signs in`() async throws {
        try files.certificate("client", by: "authority", for: "DNS:node")
        let server = try server(verifying: true)
        let tls = NATSSettings.TLS(
            authorities: files.path("authority.pem"), certificate: files.path("client.pem"),
            key: files.path("client.key"))
        let client = try Client([server], tls: tls)
        try await eventually { client.isConnected }
    }

    @Test func `a missing client certificate is reported`() async throws {
        let server = try server(verifying: true)
        let client = try Client([server], tls: .init(authorities: files.path("authority.pem")))
        try await expectWrongCertificate(client, of: server)
    }

    @Test func `a certificate by another authority is refused`() async throws {
        try files.authority("other")
        let server = try server()
        try await expectWrongCertificate(
            try Client([server], tls: .init(authorities: files.path("other.pem"))), of: server)
    }

    @Test func `a certificate for another host is refused`() async throws {
        try files.certificate("elsewhere", by: "authority", for: "DNS:elsewhere")
        let server = try server("elsewhere")
        try await expectWrongCertificate(
            try Client([server], tls: .init(authorities: files.path("authority.pem"))), of: server)
    }

    @Test func `encryption on one side only is reported`() async throws {
        let encrypted = try server()
        try await expectWrongCertificate(try Client([encrypted]), of: encrypted)
        let plain = try NATSServer()
        try await expectWrongCertificate(
            try Client([plain], tls: .init(authorities: files.path("authority.pem"))), of: plain)
    }

    @Test func `a file that cannot be used is named`() async throws {
        let server = try server()
        let missing = try Client([server], tls: .init(authorities: "/no/such.pem"))
        try await eventually {
            missing.failure == .unreadable(path: "/no/such.pem", reason: "No such file or directory")
        }
        let wrong = try Client([server], tls: .init(authorities: files.path("authority.key")))
        try await eventually {
            if case .unreadable(path: files.path("authority.key"), _) = wrong.failure { true } else { false }
        }
    }
}
#endif
