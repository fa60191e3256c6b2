import ArgumentParser
import Foundation
import LoadReport

struct CompareCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare", abstract: "Compare Belfry with other servers and with a bare send loop.",
        discussion: """
            Usually started by loadtest/compare, which can install the other servers. All get the same load in turn.

            The case fanout has one room: a publisher sends to everyone in it, one message at a time and in bursts. \
            The case rooms has thousands of small rooms: members send to their own room at fixed times (open loop), \
            and every message must reach each member of its room exactly once. Servers without rooms skip this case. \
            The exit code is 1 if a server did not deliver everything.
            """)

    @Option(help: "The belfry executable.")
    var belfry: String

    @Option(help: "A file that describes the other servers, one JSON object per line.")
    var peers: String

    @Option(name: .customLong("case"), help: "A case to run: fanout or rooms; may be repeated.")
    var cases = CompareCase.allCases

    @Option(help: "Rounds per case; every server has one turn per round.")
    var rounds = ComparePlan().rounds

    @Option(help: "fanout: listening connections per server.")
    var subscribers = ComparePlan().subscribers

    @Option(help: "fanout: single messages per turn.")
    var singles = ComparePlan().singles

    @Option(help: "fanout: bursts per turn.")
    var bursts = ComparePlan().bursts

    @Option(help: "fanout: messages per burst.")
    var burst = ComparePlan().burst

    @Option(help: "rooms: rooms per server.")
    var rooms = CompareRoomsPlan().rooms

    @Option(help: "rooms: members of each room, at most \(CompareRoomsPlan.memberLimit).")
    var members = CompareRoomsPlan().members

    @Option(help: "rooms: messages per second, to all rooms together.")
    var rate = CompareRoomsPlan().pace.rate

    @Option(help: "rooms: bytes of text per message.")
    var bytes = CompareRoomsPlan().textBytes

    @Option(help: "rooms: seconds to measure per turn.")
    var seconds = CompareRoomsPlan().pace.seconds

    @Option(help: "rooms: seconds of load before measuring.")
    var warmup = CompareRoomsPlan().pace.warmupSeconds

    @Option(name: .customLong("told-as"), help: .hidden)
    var reportedCommand: String?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard [subscribers, rounds, singles, bursts, burst].allSatisfy({ (1...100_000).contains($0) }) else {
            throw ValidationError("all numbers must be 1 to 100000")
        }
        guard rounds * (singles + bursts * burst) <= 50_000_000 else {
            throw ValidationError("at most 50000000 messages per server are possible")
        }
        // Limits: a publisher's commands in flight, and a slow reader's backlog.
        guard burst <= 256 else { throw ValidationError("--burst must be at most 256") }
        try roomsPlan.check()
    }

    private var fanoutPlan: ComparePlan {
        ComparePlan(subscribers: subscribers, rounds: rounds, singles: singles, bursts: bursts, burst: burst)
    }

    private var roomsPlan: CompareRoomsPlan {
        CompareRoomsPlan(
            rooms: rooms, members: members, pace: Pace(rate: rate, warmupSeconds: warmup, seconds: seconds),
            textBytes: bytes, rounds: rounds)
    }

    func run() throws {
        let descriptions = try PeerDescription.all(in: peers)
        let (started, start) = (Date(), Clock.now)
        var machine = Machine.current()
        let reports = try CompareCase.allCases.filter(cases.contains).map { compareCase in
            let peers = descriptions.filter { $0.takesPart(in: compareCase) }.map(Entrant.peer)
            return try report(compareCase, [.belfry(path: belfry)] + peers)
        }
        let seconds = Double(Clock.since(start)) / 1e9
        machine.noiseAfter = Noise.reading()
        try output.write(
            ReportBook(
                machine: machine, started: started.formatted(.iso8601),
                command: reportedCommand ?? CommandLineText.quoted(CommandLine.arguments),
                server: TargetServer.version(of: belfry), reports: reports, seconds: seconds,
                isDebugBuild: ReportBook.isDebugHere))
        if !reports.allSatisfy(\.isGood) { throw ExitCode(1) }
    }

    private func report(_ compareCase: CompareCase, _ entrants: [Entrant]) throws -> Report {
        switch compareCase {
        case .fanout:
            let plan = fanoutPlan
            try FileLimit.require(plan.descriptors(servers: entrants.count))
            var contenders: [Contender] = []
            defer { for contender in contenders { contender.stop() } }
            for entrant in entrants { contenders.append(try entrant.start()) }
            let outcome = try CompareRun(plan: plan, contenders: contenders, progress: Progress()).run()
            return CompareResult(
                plan: plan, contenders: contenders, readings: outcome.readings, noise: outcome.noise
            ).report
        case .rooms:
            let plan = roomsPlan
            try FileLimit.require(plan.descriptors)
            let outcome = try CompareRoomsRun(plan: plan, entrants: entrants, progress: Progress()).run()
            return CompareRoomsResult(plan: plan, outcome: outcome).report
        }
    }
}
