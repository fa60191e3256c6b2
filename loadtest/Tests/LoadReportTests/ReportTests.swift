import Foundation
import LoadReport
import Testing

@Suite struct ReportTests {
    @Test func `a report is valid if it has no problems and every check passed`() {
        var report = Report(scenario: "fanout", question: "", method: "")
        #expect(report.isGood)
        report.checks = [Report.Check("every message delivered once", found: "2 of 2", passed: true)]
        #expect(report.isGood)
        report.checks.append(Report.Check("in order", found: "1 step back", passed: false))
        #expect(!report.isGood)
        report.checks.removeLast()
        report.problems = ["a connection was lost"]
        #expect(!report.isGood)
    }

    @Test(arguments: [(Report.Goal.atMost(2), 2.0, true), (.atMost(2), 2.1, false), (.atLeast(2), 1.9, false)])
    func `a goal is an upper or a lower bound`(goal: Report.Goal, value: Double, holds: Bool) {
        #expect(goal.holds(for: value) == holds)
    }
}
