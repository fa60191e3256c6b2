import Foundation
import Testing

@testable import BelfryLoad

@Suite struct SetRunTests {
    @Test func `a run that fails is a problem in its report, and the next one starts`() async throws {
        let json = #"{"about": "", "runs": [{"scenario": "idle"}, {"scenario": "fanout", "title": "the hall"}]}"#
        let set = try ScenarioSet(json: Data(json.utf8))
        let commands = try set.commands(spawning: "/nonexistent/belfry")
        var run = SetRun(scenarios: set, commands: commands, isSilent: true)
        await run.run()
        #expect(run.reports.map(\.scenario) == ["idle", "fanout"])
        #expect(run.reports.map(\.title) == [nil, "the hall"])
        #expect(run.reports.allSatisfy { !$0.isGood && !$0.question.isEmpty })
    }
}
