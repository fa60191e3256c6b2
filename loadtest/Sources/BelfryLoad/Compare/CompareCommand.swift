import ArgumentParser
import Foundation
import LoadReport

struct CompareCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare", abstract: "Belfry beside other servers, and beside the bare loop of send.",
        discussion: """
            Usually started by loadtest/compare, which installs the other servers. All of them run at the same time and have \
            the same load in turn.
            """)

    @Option(help: "The belfry executable.")
    var belfry: String

    @Option(help: "A file that describes the other servers, one JSON object a line.")
    var peers: String

    @Option(help: "Connections that listen, at each server.")
    var subscribers = ComparePlan().subscribers

    @Option(help: "Rounds: each server has one turn in each.")
    var rounds = ComparePlan().rounds

    @Option(help: "Single messages in a turn.")
    var singles = ComparePlan().singles

    @Option(help: "Bursts in a turn.")
    var bursts = ComparePlan().bursts

    @Option(help: "Messages in a burst.")
    var burst = ComparePlan().burst

    @Option(name: .customLong("told-as"), help: .hidden)
    var reportedCommand: String?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard [subscribers, rounds, singles, bursts, burst].allSatisfy({ (1...100_000).contains($0) }) else {
            throw ValidationError("every number is at least 1 and at most 100000")
        }
        guard rounds * (singles + bursts * burst) <= 50_000_000 else {
            throw ValidationError("at most 50000000 messages at each server")
        }
        // Limits: a publisher's commands in flight, and a slow reader's backlog.
        guard burst <= 256 else { throw ValidationError("--burst is at most 256") }
    }

    func run() throws {
        let plan = ComparePlan(
            subscribers: subscribers, rounds: rounds, singles: singles, bursts: bursts, burst: burst)
        let descriptions = try PeerDescription.all(in: peers)
        try FileLimit.require(plan.descriptors(servers: descriptions.count + 1))
        let (started, start) = (Date(), Clock.now)
        var machine = Machine.current()
        let progress = Progress()
        var contenders: [Contender] = []
        defer { for contender in contenders { contender.stop() } }
        contenders.append(try Contender.belfry(belfry))
        for description in descriptions { contenders.append(try Contender.start(description)) }
        let outcome = try CompareRun(plan: plan, contenders: contenders, progress: progress).run()
        let seconds = Double(Clock.since(start)) / 1e9
        machine.noiseAfter = Noise.reading()
        let report = CompareResult(
            plan: plan, contenders: contenders, readings: outcome.readings, noise: outcome.noise
        ).report
        try output.write(
            ReportBook(
                machine: machine, started: started.formatted(.iso8601),
                command: reportedCommand ?? CommandLineText.quoted(CommandLine.arguments),
                server: TargetServer.version(of: belfry), reports: [report], seconds: seconds,
                isDebugBuild: ReportBook.isDebugHere))
        if !report.isGood { throw ExitCode(1) }
    }
}
