import ArgumentParser
import BelfryClient
import Foundation
import Histogram
import Synchronization

struct SendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send", abstract: "Many who send, each as fast as the acknowledgements come.",
        discussion: """
            Every sender has a connection of its own and sends its next message when the one before is acknowledged \
            (closed loop): how many durable sends a second the server comes to, and how long each takes. Nobody listens.

            With --url the key that signs tokens comes from BELFRY_TOKEN_SECRET; with --spawn one is made up.
            """)

    @OptionGroup var target: TargetOptions

    @Option(help: "Clients that send.")
    var senders = 64

    @Option(help: "How long the measured part lasts.")
    var seconds = 10

    @Option(help: "How long to send before measuring.")
    var warmup = 2

    @Option(help: "Bytes of text in a message.")
    var bytes = 300

    @Option(help: "Event loops for the clients.")
    var loops = 1

    func validate() throws {
        guard [senders, seconds, loops].allSatisfy({ (1...1_000_000).contains($0) }), (0...3_600).contains(warmup),
            (1...4_000).contains(bytes)
        else { throw ValidationError("every number is at least 1 and at most 1000000, --bytes at most 4000") }
    }

    func run() async throws {
        let progress = Progress()
        try FileLimit.require(senders + 64)
        let run = String(UInt32.random(in: .min ... .max), radix: 36)
        guard let channel = ChannelID("load-\(run)") else { throw LoadError("no name for the channel") }
        let server = try target.server()
        defer { server.stop() }
        let crowd = Crowd(url: server.url, tokens: server.tokens, concurrency: 64, progress: progress)
        let clientLoops = try (0..<loops).map { try ClientLoop(label: "belfry-load-\($0)") }
        let clients = try (0..<senders).map {
            try crowd.sender("load-\(run)-p\($0)", on: clientLoops[$0 % clientLoops.count])
        }
        try await crowd.gather(clients, in: channel, "senders")
        progress.clear()

        let start = Clock.now
        let measured = start + UInt64(warmup) * 1_000_000_000
        let end = measured + UInt64(seconds) * 1_000_000_000
        let tally = SendTally()
        let text = String(repeating: "x", count: bytes)
        let cpu = server.pid.flatMap(ProcessTime.seconds)
        await withTaskGroup(of: Void.self) { group in
            for (number, client) in clients.enumerated() {
                group.addTask {
                    await Self.send(text, to: channel, by: client, number, measured: measured, until: end, tally)
                }
            }
        }
        let used = server.pid.flatMap(ProcessTime.seconds).flatMap { now in cpu.map { now - $0 } }
        for client in clients { client.disconnect() }
        if !server.isRunning { throw LoadError("the server has ended during the run") }
        try report(tally.state.withLock { $0 }, serverCPU: used)
    }

    private static func send(
        _ text: String, to channel: ChannelID, by client: BelfryClient, _ number: Int, measured: UInt64,
        until end: UInt64, _ tally: SendTally
    ) async {
        var count = 0
        while true {
            let began = Clock.now
            guard began < end else { return }
            count += 1
            let data = #"{"channel_id":"\#(channel)","client_id":"\#(number)-\#(count)","text":"\#(text)"}"#
            do {
                _ = try await client.rpc(method: SendMessage.method, data: Array(data.utf8))
                tally.acknowledged(after: Clock.now - began, isMeasured: began >= measured)
            } catch {
                return tally.failed(number, "\(error)")
            }
        }
    }

    private func report(_ state: SendTally.State, serverCPU: Double?) throws {
        let counted = Double(state.latency.totalCount)
        func milliseconds(_ percentile: Double) -> String {
            (Double(state.latency.valueAtPercentile(percentile)) / 1e6).formatted(2)
        }
        var lines = [
            "send: \(senders) senders, text of \(bytes) bytes, \(seconds) s after \(warmup) s of warm-up",
            "acknowledged    \((counted / Double(seconds)).formatted(0)) a second",
            "milliseconds    p50 \(milliseconds(50))  p99 \(milliseconds(99))  max \(milliseconds(100))",
        ]
        if let serverCPU {
            let each = serverCPU * 1e6 / Double(max(1, state.acknowledged))
            lines.append("server CPU      \(each.formatted(2)) µs per send")
        }
        lines += state.firstFailures.map { "PROBLEM: \($0)" }
        try FileHandle.standardOutput.write(contentsOf: Data((lines.joined(separator: "\n") + "\n").utf8))
        if !state.failed.isEmpty { throw ExitCode(1) }
    }
}
