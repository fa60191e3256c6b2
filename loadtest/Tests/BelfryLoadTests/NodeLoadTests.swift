import BelfryClient
import Foundation
import Testing

@testable import BelfryLoad

struct NodeLoadTests {
    @Test func `clients take turns among the nodes`() throws {
        let urls = ["ws://a/", "ws://b/", "ws://c/"]
        let crowd = Crowd(
            urls: urls, trusted: nil, trustFile: nil, tokens: Tokens(secret: "s"), concurrency: 1, progress: .silent)
        let taken = (0..<7).map { crowd.url(of: $0) }
        #expect(taken == urls + urls + urls.prefix(1))
        #expect(try crowd.configuration("ann", number: 4).urls == ["ws://b/"])
    }

    @Test func `the loads of several processes are combined`() throws {
        var (loads, other) = ([NodeLoad](nodes: 2), [NodeLoad](nodes: 2))
        for number in 0..<3 { loads.add(client: number, deliveries: 10) }
        for number in 3..<7 { other.add(client: number, deliveries: 5) }
        var all: [NodeLoad] = []
        all.merge(loads)
        all.merge(try JSONDecoder().decode([NodeLoad].self, from: JSONEncoder().encode(other)))
        #expect(all == [NodeLoad(clients: 4, deliveries: 30), NodeLoad(clients: 3, deliveries: 20)])
        #expect(all.shares(of: 10) == [6, 4])
        #expect([NodeLoad](nodes: 2).shares(of: 10) == [0, 0])
    }

    @Test func `each node has its own CPU time per delivery and per message`() {
        let sample = Sample(server: .unknown)
        var usage = Usage(from: sample, to: sample)
        (usage.seconds, usage.serverCPU, usage.nodeCPU) = (2, 3, [2, 1])
        let loads = [NodeLoad(clients: 4, deliveries: 3_000), NodeLoad(clients: 3, deliveries: 1_000)]
        let figures = loads.figures(usage, deliveries: 2_000, messages: 500)
        let expected: [(String, Double, String)] = [
            ("clients of node 1", 4, ""), ("clients of node 2", 3, ""), ("deliveries of node 1", 750, "/s"),
            ("deliveries of node 2", 250, "/s"), ("CPU of node 1 per delivery", 2e6 / 1_500, "µs"),
            ("CPU of node 2 per delivery", 2_000, "µs"), ("CPU of node 1 per message", 4_000, "µs"),
            ("CPU of node 2 per message", 2_000, "µs"),
        ]
        #expect(figures == expected.map { Report.Figure($0.0, $0.1, $0.2) })
        usage.nodeCPU = []
        #expect(loads.figures(usage, deliveries: 2_000, messages: 500).count == 4)
        #expect([NodeLoad(clients: 4, deliveries: 3_000)].figures(usage, deliveries: 1, messages: 1).isEmpty)
    }

    @Test func `other scenarios report the CPU time of each node per operation`() {
        let sample = Sample(server: .unknown)
        var usage = Usage(from: sample, to: sample)
        (usage.serverCPU, usage.nodeCPU, usage.ownCPU) = (3, [2, 1], nil)
        let figures = usage.figuresWithNodes(per: "send", count: 1_000)
        let names = ["CPU of the server per send", "CPU of node 1 per send", "CPU of node 2 per send"]
        #expect(figures.map(\.name) == names)
        #expect(figures.map(\.value) == [3_000, 2_000, 1_000])
        (usage.serverCPU, usage.nodeCPU) = (3, [3])
        #expect(usage.figuresWithNodes(per: "send", count: 1_000).count == 1)
    }

    @Test func `the resources of several processes are added up, and one that has exited makes them unknown`() throws {
        let own = getpid()
        let one = ServerProcesses(pids: [own])
        let two = ServerProcesses(pids: [own, own])
        #expect(try #require(two.descriptors) > #require(one.descriptors))
        #expect(try #require(two.memory).now > #require(one.memory).now)
        #expect(two.cpu?.count == 2)
        // Linux numbers processes below 2^22.
        let gone = ServerProcesses(pids: [own, 5_000_000])
        #expect(gone.cpu == nil)
        #expect(gone.memory == nil)
        #expect(gone.descriptors == nil && !gone.resetPeaks())
        #expect(ServerProcesses.unknown.cpu == nil && !ServerProcesses.unknown.resetPeaks())
        let usage = Usage(from: Sample(server: two), to: Sample(server: two))
        #expect(usage.nodeCPU.count == 2 && usage.serverCPU == usage.nodeCPU.reduce(0, +))
    }
}
