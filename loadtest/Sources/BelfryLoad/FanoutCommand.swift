import ArgumentParser
import BelfryClient
import Foundation

struct FanoutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fanout", abstract: "One channel with many subscribers.",
        discussion: """
            Connects everyone, lets them join one super channel and sends messages at fixed times, whatever becomes of \
            those before (open loop): a message that had to wait counts with its waiting. Every subscriber must hear \
            every message once and every offset in order. Exit code 1 and a list of problems when not.

            With --url the key that signs tokens comes from BELFRY_TOKEN_SECRET; with --spawn one is made up.
            """)

    @OptionGroup var target: TargetOptions

    @Option(help: "Clients that listen.")
    var subscribers = 1_000

    @Option(help: "Clients that send, and do not listen.")
    var publishers = 10

    @Option(help: "Messages a second, of all publishers together.")
    var rate = 100

    @Option(help: "How long the measured part lasts.")
    var seconds = 10

    @Option(help: "How long to send before measuring.")
    var warmup = 2

    @Option(help: "Bytes of text in a message.")
    var bytes = 300

    @Option(help: "Event loops for the clients.")
    var loops = 1

    @Option(help: "Clients that connect or join at the same time.")
    var concurrency = 64

    @Option(help: "Seconds to wait for the last deliveries.")
    var drain = 10

    @Option(help: "Writes the result to this file as JSON; - for standard output.")
    var json: String?

    func validate() throws {
        let counts = [subscribers, publishers, rate, seconds, bytes, loops, concurrency, drain]
        guard counts.allSatisfy({ (1...1_000_000).contains($0) }), (0...3_600).contains(warmup) else {
            throw ValidationError("every number is at least 1 and at most 1000000")
        }
        guard bytes <= 4_000 else { throw ValidationError("--bytes is at most 4000") }
    }

    func run() async throws {
        let progress = Progress()
        let plan = try plan()
        let server = try target.server()
        defer { server.stop() }
        let crowd = server.crowd(concurrency: concurrency, progress: progress)
        let result = try await FanoutRun(plan: plan, crowd: crowd, serverPID: server.pid, progress: progress).run()
        if !server.isRunning { progress.say("PROBLEM: the server has ended during the run") }
        try write(result)
        if !result.isGood { throw ExitCode(1) }
    }

    private func plan() throws -> FanoutPlan {
        let run = String(UInt32.random(in: .min ... .max), radix: 36)
        guard let channel = ChannelID("load-\(run)") else { throw LoadError("no name for the channel") }
        let plan = FanoutPlan(
            run: run, channel: channel, subscribers: subscribers, publishers: publishers, rate: rate,
            warmupSeconds: warmup, seconds: seconds, textBytes: bytes, loops: loops, concurrency: concurrency,
            drainSeconds: drain)
        try FileLimit.require(plan.descriptors)
        guard plan.ledgerBytes <= 2_147_483_648 else {
            throw LoadError(
                "\(plan.messages) messages for \(subscribers) subscribers need \(plan.ledgerBytes) bytes of memory:"
                    + " lower --seconds, --rate or --subscribers")
        }
        return plan
    }

    private func write(_ result: FanoutResult) throws {
        if json != "-" { try FileHandle.standardOutput.write(contentsOf: Data(result.table.utf8)) }
        guard let json else { return }
        let data = try result.json()
        if json == "-" {
            try FileHandle.standardOutput.write(contentsOf: data)
        } else {
            try data.write(to: URL(fileURLWithPath: json))
        }
    }
}
