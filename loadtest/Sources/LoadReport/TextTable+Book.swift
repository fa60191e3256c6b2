extension ReportBook {
    /// Returns a table for the terminal: one line per report, and whether all checks passed.
    public func summaryTable() -> String {
        var text = TextTable()
        let head = ["scenario", "main figure", "p99", "checks", "goals", ""]
        text.rows(
            [head]
                + reports.map { report in
                    [
                        report.heading, (report.mainFigure ?? "–").cut(to: 44), report.p99 ?? "–",
                        Report.share(report.checks.count(where: \.passed), of: report.checks.count),
                        Report.Score(report.outcomes).short, report.isGood ? "ok" : "WRONG",
                    ]
                }, left: [0, 1, 5])
        text.paragraph(
            "\(machine.processor), \(Amount.count(machine.cores, "core")), \(machine.kernel), noise "
                + Amount.text(machine.noise, "×")
                + (machine.noiseAfter.map { ", after the run " + Amount.text($0, "×") } ?? ""))
        if isDebugBuild == true { text.paragraph("Measured with a debug build: the figures are meaningless.") }
        let wrong = reports.count { !$0.isGood }
        text.paragraph(
            wrong == 0 && !reports.isEmpty
                ? "All checks passed." : "Something went wrong in \(wrong) of \(Amount.count(reports.count, "run")).")
        return text.text
    }
}
