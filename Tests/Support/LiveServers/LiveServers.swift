import Belfry
import FoundationEssentials
import HTTPTypes
import Logging

/// Complete servers in this process, on free ports: a single one, or the nodes of a cluster with a NATS server.
package final class LiveServers {
    package static let apiKey = "the key of the tests with live servers"

    package let servers: [Server]
    /// A connection to each server.
    package let lines: [HTTPLine]
    private let secrets: Secrets
    private let folder: String
    #if Cluster
    private let nats: NATSServer?
    #endif
    private var turn = 0

    /// Whether there can be several nodes.
    package static var canCluster: Bool {
        #if Cluster
        NATSServer.program != nil
        #else
        false
        #endif
    }

    /// - Parameters:
    ///   - count: How many nodes; one needs no NATS.
    ///   - configure: Changes the configuration of each.
    package init(_ count: Int = 1, _ configure: (inout Belfry.Configuration) -> Void) async throws {
        let secrets = try Secrets(
            environment: [
                "BELFRY_TOKEN_SECRET": "a secret that only these tests know", "BELFRY_API_KEY": Self.apiKey,
            ], developmentFolder: nil)
        let folder = FileManager.default.temporaryDirectory.path + "/belfry-live-" + UUID().uuidString
        var configuration = Belfry.Configuration(tokenSecret: secrets.tokenSecret, apiKey: secrets.apiKey)
        configuration.port = 0
        configuration.loopCount = 2
        // Other tests occupy the processors for seconds, so no server deadline may end a test.
        configuration.limits.connection.session.connectMilliseconds = 300_000
        configuration.limits.connection.session.pingMilliseconds = 300_000
        configuration.limits.connection.requestMilliseconds = 300_000
        configuration.limits.drainMilliseconds = 10
        configure(&configuration)
        #if Cluster
        nats = count == 1 ? nil : try NATSServer()
        if let nats {
            configuration.cluster.servers = [nats.url]
            configuration.cluster.replicas = 1
        }
        #endif
        var servers: [Server] = []
        for number in 1...count {
            configuration.dataFolder = "\(folder)/\(number)"
            if count > 1 {
                configuration.cluster.node = "node\(number)"
                if number == 1 { _ = try await ClusterTools.create(configuration) }
            }
            let server = try await Server(
                configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            server.start()
            servers.append(server)
        }
        self.servers = servers
        self.secrets = secrets
        self.folder = folder
        lines = try servers.map { try HTTPLine(port: $0.address.port) }
        // Until there is a writer, which does not know this user, nodes of a cluster refuse with 1040.
        for line in lines where count > 1 {
            while try await line.post("/v1/user.activate", #"{"user_id":"nobody"}"#, Self.key).status == 503 {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    /// Stops all servers and removes their data.
    package func end() async {
        for server in servers { await server.stop() }
        try? FileManager.default.removeItem(atPath: folder)
    }

    package func token(for user: String) throws -> String { try secrets.token(for: user, lifetimeSeconds: 86_400) }

    /// The headers of requests with the server key.
    package static var key: HTTPFields {
        var fields = HTTPFields()
        if let name = HTTPField.Name("X-API-Key") { fields[name] = apiKey }
        return fields
    }

    /// Sends a command to the next server in turn.
    ///
    /// - Returns: The answer; for a refusal, its code and message.
    package func post(
        _ method: String, _ body: String, _ fields: HTTPFields = LiveServers.key
    ) async throws -> Result<[UInt8], LiveRefusal> {
        turn = (turn + 1) % lines.count
        let (status, answer) = try await lines[turn].post("/v1/\(method)", body, fields)
        guard status == 200 else { return .failure(try JSONDecoder().decode(LiveError.self, from: Data(answer)).error) }
        return .success(answer)
    }
}

/// A refused command.
package struct LiveRefusal: Error, Decodable {
    package let code: Int
    package let message: String
}

private struct LiveError: Decodable {
    let error: LiveRefusal
}
