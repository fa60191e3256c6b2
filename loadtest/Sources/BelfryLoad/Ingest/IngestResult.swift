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
            ? "Each sends its next message when the previous one is acknowledged (closed loop), so the server is never "
                + "overloaded."
            : "Messages are sent at fixed times, regardless of the earlier ones (open loop), so latency includes the "
                + "time that a message had to wait."
        return Report(
            scenario: "ingest", question: "How many messages a second can be stored durably, and how fast?",
            method:
                "Many clients send to one room in which nobody listens, so only the cost of accepting a message is "
                + "measured: checking it, journaling it, syncing it to disk, and replying. \(loop)",
            settings: [
                .init("senders", "\(plan.senders)", "clients that send, each with its own connection"),
                .init(
                    "rate", plan.isClosedLoop ? "as fast as acknowledged" : "\(plan.pace.rate)/s",
                    "messages, all senders together"),
                .init("seconds", "\(plan.pace.seconds)", "duration of the measured part"),
                .init("warmup", "\(plan.pace.warmupSeconds) s", "load before the measured part"),
                .init("bytes", "\(plan.textBytes)", "text in a message"),
            ],
            figures: [
                .init("durable sends", Double(latency.totalCount) / Double(plan.pace.seconds), "/s"),
                .init("latency, median", latency.milliseconds(50), "ms"),
                .init("latency, 99 %", latency.milliseconds(99), "ms"),
            ] + (usage?.figuresWithNodes(per: "send", count: offsets.count) ?? []),
            distributions: [latency.distribution("sending to acknowledgement")],
            series: OverTime(stretches: stretches, stretchSeconds: plan.pace.stretchSeconds).series(
                "sends", at: "send time"),
            checks: [
                .init(
                    "every message was acknowledged, with its own content",
                    found: "\(offsets.count) of \(offsets.count + failures)", passed: failures == 0),
                .init(
                    "every message has its own offset", found: "\(places.shared) share one",
                    passed: places.shared == 0),
                .init(
                    "there are no gaps between the offsets", found: "\(places.empty) missing",
                    // An unacknowledged message may or may not have an offset.
                    passed: places.empty <= failures),
            ],
            remarks: remarks + (usage?.remarks(loops: plan.loops) ?? []), problems: problems.lines)
    }
}
