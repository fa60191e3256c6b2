import LoadReport

/// Runs the scenarios of a set, each with its own server.
struct SetRun {
    let scenarios: ScenarioSet
    /// The commands, one per run of the set.
    let commands: [any ScenarioCommand]
    /// Whether standard output is used for something other than tables.
    let isSilent: Bool
    private(set) var reports: [Report] = []
    /// The version that the server reports.
    private(set) var server: String?

    init(scenarios: ScenarioSet, commands: [any ScenarioCommand], isSilent: Bool) {
        self.scenarios = scenarios
        self.commands = commands
        self.isSilent = isSilent
    }

    /// Runs all commands and adds a report for each, even a failed one, so that the others are not lost.
    mutating func run() async {
        let progress = Progress()
        var before = Noise.reading()
        for (index, (run, command)) in zip(scenarios.runs, commands).enumerated() {
            let name = run.title.map { "\(run.scenario), \($0)" } ?? run.scenario
            progress.writeLine("\(index + 1) of \(commands.count): \(name)")
            var report: Report
            do {
                report = try await self.report(of: command, progress)
            } catch {
                report = Report(
                    scenario: run.scenario, question: type(of: command).configuration.abstract,
                    method: "The run did not finish.", problems: ["\(error)"])
            }
            report.title = run.title
            let after = Noise.reading()
            report.noise = max(before, after)
            before = after
            progress.clear()
            if !isSilent { OutputOptions.writeOutput(report.table() + "\n") }
            reports.append(report)
        }
    }

    private mutating func report(of command: any ScenarioCommand, _ progress: Progress) async throws -> Report {
        let target = try command.target.server()
        defer { target.stop() }
        server = server ?? target.version()
        var report = try await command.report(of: target, progress)
        if !target.isRunning { report.problems.insert("the server exited during the run", at: 0) }
        return report
    }
}
