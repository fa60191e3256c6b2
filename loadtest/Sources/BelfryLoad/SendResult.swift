import BelfryClient
import Foundation
import Histogram

/// What a run of many senders has shown.
struct SendResult {
    let plan: SendPlan
    private(set) var acknowledged = 0
    private(set) var latency = Histogram<UInt64>.latency()
    private(set) var serverCPU: Double?
    private(set) var ownCPU: Double?
    private(set) var problems: [String] = []

    init(plan: SendPlan) { self.plan = plan }

    /// CPU is counted over the whole run, warm-up and all: so are the acknowledgements that it is divided by.
    mutating func note(_ before: Sample, _ after: Sample) {
        serverCPU = before.serverCPU.flatMap { before in after.serverCPU.map { $0 - before } }
        ownCPU = before.ownCPU.flatMap { before in after.ownCPU.map { $0 - before } }
    }

    mutating func conclude(_ ledgers: [SendLedger]) {
        var (offsets, failures): ([UInt64], Int) = ([], 0)
        for ledger in ledgers {
            offsets += ledger.offsets
            failures += ledger.failures
            problems += ledger.firstFailures
            latency.add(ledger.latency)
        }
        acknowledged = offsets.count
        if failures > problems.count { problems.append("\(failures) messages were not acknowledged") }
        problems += SendLedger.problems(offsets: offsets, failures: failures)
    }

    var isGood: Bool { problems.isEmpty }

    var table: String {
        func milliseconds(_ percentile: Double) -> String {
            (Double(latency.valueAtPercentile(percentile)) / 1e6).formatted(2)
        }
        func each(_ seconds: Double) -> String { (seconds * 1e6 / Double(max(1, acknowledged))).formatted(2) }
        let loop = plan.rate.map { "\($0) messages/s" } ?? "each its next message when the one before is acknowledged"
        let perSecond = (Double(latency.totalCount) / Double(plan.seconds)).formatted(0)
        var lines = [
            "send: \(plan.senders) senders, \(loop), for \(plan.seconds) s (after \(plan.warmupSeconds) s of warm-up), "
                + "text of \(plan.textBytes) bytes",
            "acknowledged    \(perSecond) a second",
            "milliseconds    p50 \(milliseconds(50))  p99 \(milliseconds(99))  max \(milliseconds(100))",
        ]
        if let serverCPU { lines.append("server CPU      \(each(serverCPU)) µs per send") }
        if let ownCPU { lines.append("tester CPU      \(each(ownCPU)) µs per send") }
        lines += problems.map { "PROBLEM: \($0)" }
        return lines.joined(separator: "\n") + "\n"
    }
}
