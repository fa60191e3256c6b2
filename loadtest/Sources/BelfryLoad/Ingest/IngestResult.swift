import BelfryClient
import Histogram
import LoadReport

/// The result of an ingest run.
struct IngestResult {
    let plan: IngestPlan
    /// The usage over the whole run including the warm-up, like the acknowledgements by which it is divided.
    var usage: Usage?
    /// Remarks about the pace, in an open loop.
    var remarks: [String] = []
    private var offsets: [UInt64] = []
    private var failures = 0
    private var stretches: [Histogram<UInt64>] = []
    private var problems = ProblemList()

    init(plan: IngestPlan) { self.plan = plan }

    mutating func conclude(_ ledgers: [IngestLedger]) {
        for ledger in ledgers {
            offsets += ledger.offsets
            failures += ledger.failures
            problems.add(ledger.firstFailures.map { "not acknowledged: \($0)" })
        }
        stretches = (0..<plan.pace.stretchCount).map { stretch in
            Histogram(merging: ledgers.map { $0.latencies[stretch] })
        }
        if offsets.isEmpty { problems.add("nothing was acknowledged") }
    }

    var report: Report {
        let latency = Histogram(merging: stretches)
        let places = IngestLedger.Places(offsets)
        let loop =
            plan.isClosedLoop
            ? "Each sends its next message when the one before is acknowledged (closed loop), so the server is never "
                + "asked for more than it gives."
            : "Messages leave at fixed times, whatever becomes of those before (open loop): one that had to wait counts "
                + "with its waiting."
        return Report(
            scenario: "ingest", question: "How many messages a second can be written down for good, and how fast?",
            method:
                "Many clients send into one room in which nobody listens, so that what is seen is the work of taking "
                + "a message in: checking it, journalling it, syncing it to the disk, and answering. \(loop)",
            settings: [
                .init("senders", "\(plan.senders)", "clients that send, each with a connection of its own"),
                .init("rate", plan.isClosedLoop ? "as fast as answered" : "\(plan.pace.rate)/s", "of all together"),
                .init("seconds", "\(plan.pace.seconds)", "how long the measured part lasts"),
                .init("warmup", "\(plan.pace.warmupSeconds) s", "sending before that, which is not measured"),
                .init("bytes", "\(plan.textBytes)", "text in a message"),
            ],
            figures: [
                .init("durable sends", Double(latency.totalCount) / Double(plan.pace.seconds), "/s"),
                .init("latency, median", latency.milliseconds(50), "ms"),
                .init("latency, 99 %", latency.milliseconds(99), "ms"),
            ] + (usage?.figures(per: "send", count: offsets.count) ?? []),
            distributions: [latency.distribution("leaving to acknowledgement")],
            series: OverTime(stretches: stretches, stretchSeconds: plan.pace.stretchSeconds).series(
                "sends", at: "when they left"),
            checks: [
                .init(
                    "every message was acknowledged, as itself",
                    found: "\(offsets.count) of \(offsets.count + failures)", passed: failures == 0),
                .init(
                    "every message has a place of its own", found: "\(places.shared) share one",
                    passed: places.shared == 0),
                .init(
                    "no place between them is empty", found: "\(places.empty) empty",
                    // An unacknowledged message may or may not have an offset.
                    passed: places.empty <= failures),
            ],
            remarks: remarks + (usage?.remarks(loops: plan.loops) ?? []), problems: problems.lines)
    }
}
