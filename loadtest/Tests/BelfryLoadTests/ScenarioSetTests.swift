import Foundation
import Testing

@testable import BelfryLoad

@Suite struct ScenarioSetTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../scenarios").standardizedFileURL

    private static func set(_ name: String) throws -> ScenarioSet {
        try ScenarioSet(json: Data(contentsOf: folder.appending(path: name)))
    }

    @Test func `every scenario file can be run, and names only existing servers and settings`() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).sorted()
        #expect(Set(names).isSuperset(of: ["full.json", "quick.json", "small.json"]))
        for name in names {
            let set = try Self.set(name)
            #expect(try set.commands(spawning: "belfry").count == set.runs.count, "\(name)")
            #expect(!set.about.isEmpty)
        }
    }

    @Test(arguments: ["small.json", "quick.json", "full.json"])
    func `each set contains every scenario`(name: String) throws {
        let named = Set(try Self.set(name).runs.map(\.scenario))
        #expect(named == Set(ScenarioSet.scenarios.keys))
    }

    @Test(arguments: ["small.json", "quick.json", "full.json"])
    func `runs of one scenario can be distinguished`(name: String) throws {
        let runs = try Self.set(name).runs.map { "\($0.scenario) \($0.title ?? "")" }
        #expect(Set(runs).count == runs.count)
    }

    @Test func `options and arguments reach the command`() throws {
        let json = """
            {"about": "", "runs": [
              {"scenario": "fanout", "title": "x", "options": {"rate": 7, "tls": true, "server-log-level": "error"}},
              {"scenario": "idle", "arguments": [10, "20"]}, {"scenario": "rooms", "options": {"zipf": 0.5}}]}
            """
        let commands = try ScenarioSet(json: Data(json.utf8)).commands(spawning: "bin/-belfry")
        let fanout = try #require(commands[0] as? FanoutCommand)
        #expect(fanout.rate == 7)
        #expect(fanout.target.tls)
        #expect(fanout.target.serverLogLevel == "error")
        #expect(fanout.target.spawn == "bin/-belfry")
        #expect(try #require(commands[1] as? IdleCommand).steps == [10, 20])
        #expect(try #require(commands[2] as? RoomsCommand).places.zipf == 0.5)
    }

    @Test(
        arguments: [
            (#"{"about": "", "runs": [], "rusn": 1}"#, ["rusn", "about, runs"]),
            (#"{"about": ""}"#, ["runs", "missing"]),
            (#"{"about": "", "runs": []}"#, ["runs", "1 to 100"]),
            (#"{"about": "", "runs": [{"scenario": "x", "optoins": {}}]}"#, ["runs[0]", "optoins"]),
            (#"{"about": "", "runs": [{"title": "x"}]}"#, ["runs[0]", "scenario", "missing"]),
            (#"{"about": "", "runs": [{"scenario": 7}]}"#, ["runs[0].scenario"]),
            (#"{"about": "", "runs": [{"scenario": "idle", "options": {"tls": false}}]}"#, ["tls", "omit"]),
            (#"{"about": "", "runs": [{"scenario": "idle", "options": {"rooms": [1]}}]}"#, ["runs[0].options.rooms"]),
            (#"{"about": "", "runs": [{"scenario": "idle", "options": {"rooms": null}}]}"#, ["runs[0].options.rooms"]),
            ("{", ["the file"]), ("[]", ["the file"]), ("", ["the file"]),
        ])
    func `a file with an unknown entry is refused with its position`(json: String, words: [String]) {
        expect(refusal: { _ = try ScenarioSet(json: Data(json.utf8)) }, with: words)
    }

    @Test(
        arguments: [
            (#"{"scenario": "fan"}"#, ["(fan)", "churn, fanout, idle"]),
            (#"{"scenario": "set"}"#, ["(set)", "no such scenario"]),
            (#"{"scenario": "fanout", "options": {"rat": 7}}"#, ["fanout", "--rat"]),
            (#"{"scenario": "fanout", "options": {"rate": "many"}}"#, ["fanout", "many"]),
            (#"{"scenario": "fanout", "options": {"rate": 0}}"#, ["fanout", "at least 1"]),
            (#"{"scenario": "fanout", "options": {"tls": "yes"}}"#, ["fanout", "tls"]),
            (#"{"scenario": "fanout", "options": {"rate": true}}"#, ["fanout", "rate"]),
            (#"{"scenario": "fanout", "options": {"url": "ws://x"}}"#, ["url is not an option of a run"]),
            (#"{"scenario": "fanout", "options": {"json": "x"}}"#, ["json is not an option of a run"]),
            (#"{"scenario": "fanout", "options": {"help": true}}"#, ["help is not an option of a run"]),
            (#"{"scenario": "fanout", "options": {"--rate": 7}}"#, ["without hyphens"]),
            (#"{"scenario": "fanout", "options": {"rate=7": true}}"#, ["rate=7"]),
            (#"{"scenario": "fanout", "arguments": [7]}"#, ["fanout", "7"]),
            (#"{"scenario": "idle", "arguments": ["--tls"]}"#, ["hyphen"]),
            (#"{"scenario": "idle", "arguments": [true]}"#, ["hyphen"]),
        ])
    func `an impossible run is refused before the first one starts`(run: String, words: [String]) throws {
        let json = #"{"about": "", "runs": [{"scenario": "idle"}, \#(run)]}"#
        let set = try ScenarioSet(json: Data(json.utf8))
        expect(refusal: { _ = try set.commands(spawning: "belfry") }, with: ["runs[1]"] + words)
    }

    private func expect(refusal body: () throws -> Void, with words: [String]) {
        do {
            try body()
            Issue.record("not refused")
        } catch let error as LoadError {
            for word in words { #expect("\(error)".contains(word), "\(error)") }
        } catch {
            Issue.record("\(error)")
        }
    }
}
