import Foundation
import LoadReport
import RawLoad
import Testing

@testable import BelfryLoad

@Suite struct CompareTests {
    private func contender(_ name: String, _ role: Report.Comparison.Contender.Role) -> Contender {
        Contender(name: name, about: "", role: role, dialect: Dialect(.bare), port: 1, pid: 1, stop: {})
    }

    private func report(
        subscribers: Int = 1_000, rounds: Int = 10, problems: [String] = []
    ) -> Report {
        var (ours, peer) = (CompareRun.Readings(), CompareRun.Readings())
        (ours.single, peer.single) = ([4, 9, 5], [8, 10, 5])
        (ours.burst, peer.burst) = ([0.5, 0.4, 0.625], [1, 1, 1])
        (ours.rate, peer.rate) = ([2, 2, 2], [1, 1, 1])
        peer.problems = problems
        return CompareResult(
            plan: ComparePlan(subscribers: subscribers, rounds: rounds),
            contenders: [contender("Belfry", .belfry), contender("uWebSockets", .peer)], readings: [ours, peer]
        ).report
    }

    @Test func `a ratio is computed per round, not from the medians`() throws {
        let reading = try #require(report().comparisons.first?.contenders.last?.readings.first ?? nil)
        #expect(reading.value == .init(median: 8, least: 5, greatest: 10))
        #expect(reading.ratio == .init(median: 0.9, least: 0.5, greatest: 1))
        #expect(reading.goal == .atMost(1))
    }

    @Test func `the reference server is not compared with itself`() throws {
        let reading = try #require(report().comparisons.first?.contenders.first?.readings.first ?? nil)
        #expect(reading.ratio == nil && reading.goal == nil)
    }

    @Test func `the burst throughput per core is computed from each server's CPU`() {
        #expect(report().figures.last?.value == 2_000_000)
        #expect(report().figures.last?.goal == .atLeast(1_500_000))
        #expect(report().figures.last?.name.hasPrefix("calculated: ") == true)
    }

    @Test func `clock measurements come first and have no goal`() {
        let first = report().figures.first
        #expect(first?.name.hasPrefix("measured: ") == true)
        #expect(first?.value == 2)
        #expect(first?.goal == nil)
    }

    @Test func `rounds are kept to show outliers, and not for single measurements`() throws {
        let readings = try #require(report().comparisons.first?.contenders.last?.readings)
        #expect(readings.map { $0?.rounds } == [[8, 10, 5], [1, 1, 1], [1, 1, 1], nil])
    }

    @Test func `if there are goals, their author is named`() {
        #expect(report().aboutGoals?.contains("the project’s own") == true)
        #expect(report(rounds: 9).aboutGoals == nil)
    }

    @Test func `each server's cost explains why bursts are cheap`() {
        let notes = report().comparisons.flatMap(\.measures).compactMap(\.note)
        #expect(notes.contains { $0.contains("Belfry 10, uWebSockets 8") })
    }

    @Test(arguments: [(999, 10), (1_000, 9)])
    func `goals for a different size are not reported`(subscribers: Int, rounds: Int) throws {
        let report = report(subscribers: subscribers, rounds: rounds)
        #expect(report.figures.allSatisfy { $0.goal == nil })
        #expect(report.comparisons.flatMap(\.contenders).flatMap(\.readings).allSatisfy { $0?.goal == nil })
    }

    @Test func `a server that did not deliver everything invalidates the comparison`() {
        #expect(report().isGood)
        #expect(!report(problems: ["3 subscribers did not receive all 5 messages"]).isGood)
    }

    @Test func `facts about all servers are stated once, with the exceptions per server`() {
        #expect(report().checks.map(\.what).filter { $0.hasPrefix("all 2 servers: ") }.count == 1)
        #expect(report().checks.map(\.found) == ["5,020,000 deliveries at each"])
        let bad = report(problems: ["3 subscribers did not receive all 5 messages"]).checks
        #expect(bad.map { $0.what.prefix(while: { $0 != ":" }) } == ["Belfry", "uWebSockets"])
        #expect(bad.map(\.passed) == [true, false])
        #expect(bad.last?.found == "3 subscribers did not receive all 5 messages")
    }

    @Test func `a line that describes no server is reported by name`() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "peers-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("{\"name\": \"a\", \"about\": \"b\", \"command\": [\"c\"]}\n{\"name\": 1}\n".utf8).write(to: file)
        let error = #expect(throws: LoadError.self) { try PeerDescription.all(in: file.path) }
        #expect(error?.description.contains("line 2") == true)
    }
}
