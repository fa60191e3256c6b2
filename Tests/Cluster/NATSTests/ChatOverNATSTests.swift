#if Cluster
import ChatDomain
import ChatModel
import ClusterSupport
import Foundation
import Gateway
import LiveServers
import Replication
import Synchronization
import Testing

@testable import NATS

/// Three nodes with chats on real NATS servers.
@Suite(.enabled(if: NATSServer.program != nil, "BELFRY_NATS_SERVER names no server"))
struct ChatOverNATSTests {
    private static let cluster = "test"

    /// A node with its own connection to the servers.
    private struct Node {
        let client: Client
        let chat: ChatNode
    }

    private func node(_ name: String, _ servers: [NATSServer], replicas: Int, _ folder: String) async throws -> Node {
        let client = try Client(servers)
        let store = try await client.log(replicas: replicas)
        let bus = try NATSBus(client.connection, cluster: Self.cluster, incarnation: 1)
        let id = try #require(NodeID(name: name, start: 1))
        let chat = try ChatNode(id, of: Self.cluster, folder: folder + "/" + name, store: store, bus: bus) { isCut in
            if isCut { client.connection.close() }
        }
        return Node(client: client, chat: chat)
    }

    /// - Returns: Whether the command was accepted within half a minute.
    private func accepts(_ change: some Change, as user: UserID, _ node: Node) async -> Bool {
        await result { done in
            let isAnswered = Atomic(false)
            let answer: @Sendable (Bool) -> Void = { isAccepted in
                if !isAnswered.exchange(true, ordering: .relaxed) { done(isAccepted) }
            }
            node.chat.change(change, as: user) { if case .success = $0 { answer(true) } else { answer(false) } }
            DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(30)) { answer(false) }
        }
    }

    private func writer(_ nodes: [Node]) async throws -> Node {
        try await eventually { nodes.contains { $0.chat.isWriter } }
        return try #require(nodes.first { $0.chat.isWriter })
    }

    @Test func `a chat goes on when the writer and the leader of its log are killed, and loses nothing`() async throws {
        let folder = NSTemporaryDirectory() + "belfry-chats-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let servers = try NATSServer.cluster()
        let founder = try Client(servers)
        let store = try await founder.log(replicas: 3)
        let genesis = LogMessage.genesis(
            cluster: Self.cluster, by: try #require(NodeID(name: "ann", start: 1)), firstFrame: 1, recordVersion: 4)
        try await eventually {
            await result { store.append(genesis.encoded(), expecting: 0, id: "genesis", $0) } == .stored(1)
        }
        var nodes: [Node] = []
        for name in ["ann", "bob", "cid"] { nodes.append(try await node(name, servers, replicas: 3, folder)) }

        let (user, channel) = (try #require(UserID("ada")), try #require(ChannelID("general")))
        let first = try await writer(nodes)
        #expect(await accepts(CreateChannel(id: channel, isPublic: true), as: user, first))
        for number in 1...20 {
            #expect(await accepts(SendMessage(channelID: channel, text: "\(number)"), as: user, first))
        }
        servers[0].kill()
        let during = SendMessage(channelID: channel, text: "without a server")
        try await eventually { await accepts(during, as: user, first) }
        first.chat.kill()
        nodes.removeAll { $0.chat === first.chat }
        let second = try await writer(nodes)
        for number in 21...40 {
            try await eventually {
                await accepts(SendMessage(channelID: channel, text: "\(number)"), as: user, second)
            }
        }
        // A journal that is still written to may look damaged.
        try await eventually { (try? nodes[0].chat.state() == nodes[1].chat.state()) ?? false }
        #expect(nodes.allSatisfy { $0.chat.failure == nil })
        for node in nodes { node.chat.kill() }
    }
}
#endif
