import LoadReport

/// Runs the scenarios of a set, each with a server of its own.
struct SetRun {
    let scenarios: ScenarioSet
    /// One for each run of the set.
    let commands: [any ScenarioCommand]
    /// Whether standard output is for something else than tables.
    let isSilent: Bool
    private(set) var reports: [Report] = []
    /// What the server says of itself.
    private(set) var server: String?

    init(scenarios: ScenarioSet, commands: [any ScenarioCommand], isSilent: Bool) {
        self.scenarios = scenarios
        self.commands = commands
        self.isSilent = isSilent
    }

    /// Each has its report, also what could not be run: the others are worth having.
    mutating func run() async {
        let progress = Progress()
        var before = Noise.reading()
        for (index, (run, command)) in zip(scenarios.runs, commands).enumerated() {
            let name = run.title.map { "\(run.scenario), \($0)" } ?? run.scenario
            progress.say("\(index + 1) of \(commands.count): \(name)")
            var report: Report
            do {
                report = try await self.report(of: command, progress)
            } catch {
                report = Report(
                    scenario: run.scenario, question: type(of: command).configuration.abstract,
                    method: "It could not be run to its end.", problems: ["\(error)"])
            }
            report.title = run.title
            let after = Noise.reading()
            report.noise = max(before, after)
            before = after
            progress.clear()
            if !isSilent { OutputOptions.say(report.table() + "\n") }
            reports.append(report)
        }
    }

    private mutating func report(of command: any ScenarioCommand, _ progress: Progress) async throws -> Report {
        let target = try command.target.server()
        defer { target.stop() }
        server = server ?? target.version()
        var report = try await command.report(of: target, progress)
        if !target.isRunning { report.problems.insert("the server has ended during the run", at: 0) }
        return report
    }
}
