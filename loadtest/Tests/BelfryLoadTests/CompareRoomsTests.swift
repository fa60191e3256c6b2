import ArgumentParser
import Foundation
import LoadReport
import RawLoad
import Testing

@testable import BelfryLoad

@Suite struct CompareRoomsTests {
    private func report(problems: [String] = [], worstLateness: UInt64 = 0) -> Report {
        func contender(_ name: String, _ role: Report.Comparison.Contender.Role) -> Contender {
            Contender(name: name, about: "", role: role, dialect: Dialect(.bare), port: 1, pid: 1, stop: {})
        }
        var (ours, peer) = (CompareRoomsRun.Readings(), CompareRoomsRun.Readings())
        (ours.cpu, peer.cpu) = ([300, 200, 250], [100, 50, 250])
        (ours.median, peer.median) = ([1, 1, 1], [2, 4, 8])
        (ours.p99, peer.p99) = ([9, 9, 9], [3, 3, 3])
        peer.problems = problems
        peer.worstLateness = worstLateness
        let outcome = CompareRoomsRun.Outcome(
            contenders: [contender("Belfry", .belfry), contender("floor with fdatasync", .floor)],
            readings: [ours, peer], noise: [1, 1, 1])
        var plan = CompareRoomsPlan()
        plan.rounds = 3
        return CompareRoomsResult(plan: plan, outcome: outcome).report
    }

    @Test func `the columns are CPU per message and two percentiles, with ratios per round`() throws {
        let comparison = try #require(report().comparisons.first)
        #expect(comparison.measures.map(\.name) == ["CPU per message", "latency, median", "latency, 99 %"])
        let readings = try #require(comparison.contenders.last?.readings)
        #expect(readings.map { $0?.value.median } == [100, 4, 3])
        #expect(readings.first??.value == .init(median: 100, least: 50, greatest: 250))
        #expect(readings.map { $0?.ratio?.median } == [3, 0.25, 3])
        #expect(comparison.contenders.first?.readings.allSatisfy { $0?.ratio == nil } == true)
    }

    @Test func `a server that did not deliver everything once invalidates the comparison`() {
        #expect(report().isGood)
        #expect(report().checks.map(\.found) == ["180,000 deliveries at each"])
        let bad = report(problems: ["round 2: 1 duplicate deliveries"])
        #expect(!bad.isGood)
        #expect(bad.checks.last?.what.hasPrefix("floor with fdatasync: ") == true)
        #expect(bad.checks.last?.found == "round 2: 1 duplicate deliveries")
    }

    @Test(arguments: [(20_000_000, 0), (20_000_001, 1)] as [(UInt64, Int)])
    func `an overloaded tester is mentioned`(lateness: UInt64, count: Int) {
        #expect(report(worstLateness: lateness).remarks.count == count)
    }

    private func command(_ options: String...) throws -> CompareCommand {
        try CompareCommand.parse(["--belfry", "belfry", "--peers", "peers"] + options)
    }

    @Test func `both cases run unless one is named`() throws {
        #expect(try command().cases == [.fanout, .rooms])
        #expect(try command("--case", "rooms").cases == [.rooms])
        #expect(try command("--case", "fanout", "--case", "rooms").cases == [.fanout, .rooms])
    }

    @Test(arguments: [
        ["--case", "other"], ["--unknown", "1"], ["--rooms", "0"], ["--rooms", "50001"], ["--members", "0"],
        ["--members", "65"], ["--rooms", "20000", "--members", "6"], ["--rate", "0"], ["--rate", "100001"],
        ["--seconds", "0"], ["--warmup", "-1"], ["--rate", "100000", "--seconds", "101"], ["--bytes", "0"],
        ["--bytes", "4001"],
    ])
    func `unknown options and impossible sizes are refused`(options: [String]) {
        #expect(throws: (any Error).self) {
            try CompareCommand.parse(["--belfry", "belfry", "--peers", "peers"] + options)
        }
    }

    @Test(arguments: [
        ["--rooms", "1"], ["--members", "1"], ["--members", "64", "--rooms", "10"], ["--rate", "1"],
        ["--rate", "100000", "--seconds", "99"], ["--warmup", "0"], ["--bytes", "1"], ["--bytes", "4000"],
    ])
    func `sizes at the limits are accepted`(options: [String]) throws {
        _ = try CompareCommand.parse(["--belfry", "belfry", "--peers", "peers"] + options)
    }

    @Test func `a server without rooms takes part in fanout only`() throws {
        func peer(_ more: String) throws -> PeerDescription {
            try JSONDecoder().decode(
                PeerDescription.self, from: Data(#"{"name": "a", "about": "b", "command": ["c"]\#(more)}"#.utf8))
        }
        #expect(CompareCase.allCases.filter(try peer("").takesPart) == [.fanout])
        #expect(CompareCase.allCases.filter(try peer(#", "cases": ["rooms"]"#).takesPart) == [.rooms])
        #expect(throws: (any Error).self) { try peer(#", "cases": ["halls"]"#) }
    }
}
