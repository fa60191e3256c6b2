import ArgumentParser
import Testing

@testable import BelfryLoad

struct TargetOptionsTests {
    private let one = "ws://127.0.0.1:1/x"
    private let two = "ws://127.0.0.1:2/x"

    @Test func `one URL or several are accepted, each with its process id`() throws {
        #expect(try TargetOptions.parse(["--url", one, "--pid", "7"]).url == [one])
        let options = try TargetOptions.parse(["--url", one, "--url", two, "--pid", "7", "--pid", "8"])
        #expect(options.url == [one, two] && options.pid == [7, 8])
        #expect(try TargetOptions.parse(["--url", one, "--url", two]).pid.isEmpty)
        #expect(try TargetOptions.parse(["--spawn", "belfry"]).url.isEmpty)
    }

    @Test(
        arguments: [
            [String](), ["--url", "ws://a/", "--spawn", "belfry"], ["--url", "ws://a/", "--url", "ws://a/"],
            ["--url", "ws://a/", "--url", "wss://b/"], ["--url", "ws://a/", "--url", "ws://b/", "--pid", "7"],
            ["--url", "ws://a/", "--pid", "7", "--pid", "8"], ["--url", "ws://a/", "--trust", "file"],
        ])
    func `contradictory options are refused`(words: [String]) {
        #expect(throws: (any Error).self) { try TargetOptions.parse(words) }
    }

    @Test func `up to 64 nodes are accepted`() throws {
        func words(_ count: Int) -> [String] { (0..<count).flatMap { ["--url", "ws://n\($0)/"] } }
        #expect(try TargetOptions.parse(words(64)).url.count == 64)
        #expect(throws: (any Error).self) { try TargetOptions.parse(words(65)) }
    }

    @Test func `a report names the nodes if there are several`() {
        #expect(TargetServer.settings(of: [one]).isEmpty)
        let settings = TargetServer.settings(of: [one, two])
        #expect(settings.map(\.name) == ["node 1", "node 2"])
        #expect(settings.map(\.value) == [one, two])
    }
}
