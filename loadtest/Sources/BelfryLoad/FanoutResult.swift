import BelfryClient
import Foundation
import Histogram

/// What a run has shown.
struct FanoutResult {
    let plan: FanoutPlan
    let setupSeconds: Double
    private(set) var sent = 0
    private(set) var acknowledged = 0
    private(set) var delivered = 0
    private(set) var latency = Histogram<UInt64>.latency()
    private(set) var acknowledgement = Histogram<UInt64>.latency()
    /// Between the samples: seconds of the clock, seconds of CPU, deliveries.
    private(set) var seconds = 0.0
    private(set) var serverCPU: Double?
    private(set) var ownCPU: Double?
    private(set) var sampledDeliveries = 0
    private(set) var serverMemoryBefore: Int?
    var serverMemory: Int?
    var timedOutAnswers = false
    private(set) var worstLateness: UInt64 = 0
    /// What must not be; empty for a good run.
    private(set) var problems: [String] = []
    /// What makes the figures less than they seem.
    private(set) var remarks: [String] = []
    private(set) var missing = 0
    private(set) var doubled = 0
    private(set) var outOfOrder = 0
    private(set) var lostConnections = 0

    init(plan: FanoutPlan, setupSeconds: Double) {
        self.plan = plan
        self.setupSeconds = setupSeconds
    }

    var isGood: Bool { problems.isEmpty }

    mutating func note(_ before: Sample, _ after: Sample) {
        seconds = Double(after.at - before.at) / 1e9
        sampledDeliveries = after.delivered - before.delivered
        if let start = before.serverCPU, let end = after.serverCPU { serverCPU = end - start }
        if let start = before.ownCPU, let end = after.ownCPU { ownCPU = end - start }
    }

    mutating func conclude(
        _ subscribers: [Subscriber], _ tallies: [LoopTally], _ sends: SendTally, memoryBefore: Int?
    ) {
        serverMemoryBefore = memoryBefore
        sent = sends.sent.load(ordering: .relaxed)
        for tally in tallies {
            delivered += tally.delivered.load(ordering: .relaxed)
            for each in tally.latencies { latency.add(each) }
        }
        let failed = sends.state.withLock { state in
            acknowledged = state.acknowledged
            acknowledgement.add(state.latency)
            worstLateness = state.worstLateness
            problems += state.firstFailures.map { "not acknowledged: \($0)" }
            return state.failed
        }
        if failed.count > 5 { problems.append("not acknowledged: \(failed.count) messages in all") }
        if timedOutAnswers { problems.append("some answers never came") }
        for subscriber in subscribers { conclude(subscriber, failed) }
        remark()
    }

    private mutating func conclude(_ subscriber: Subscriber, _ failed: Set<Int>) {
        let findings = subscriber.ledger.findings(sent: sent, excusing: failed)
        missing += findings.missing
        doubled += findings.doubled
        outOfOrder += findings.outOfOrder
        let losses = subscriber.losses.all
        lostConnections += losses.count
        guard problems.count < 20 else { return }
        if let first = findings.firstMissing {
            problems.append("\(subscriber.name) misses \(findings.missing) messages, first \(first)")
        }
        if findings.doubled > 0 { problems.append("\(subscriber.name) heard \(findings.doubled) messages twice") }
        if let step = findings.firstOutOfOrder {
            problems.append(
                "\(subscriber.name) heard offset \(step.received) where \(step.expected) was due"
                    + " (\(findings.outOfOrder) such steps)")
        }
        if let reason = losses.first {
            problems.append("\(subscriber.name) lost its connection \(losses.count) times, first: \(reason)")
        }
    }

    private mutating func remark() {
        if worstLateness > 20_000_000 {
            remarks.append(
                "the tester was up to \(milliseconds(worstLateness)) ms late with a message: it is overloaded")
        }
        if let ownCPU, seconds > 0, ownCPU / seconds > 0.9 * Double(plan.loops) {
            remarks.append("the tester used \((ownCPU / seconds).formatted(2)) cores: latencies may be its own")
        }
        if serverCPU == nil { remarks.append("the server's CPU time cannot be seen: name its process with --pid") }
        if let serverCPU, serverCPU < 0.5 {
            remarks.append("the server used only \(serverCPU.formatted(2)) s of CPU: too little time to be exact")
        }
        if latency.totalCount < 1_000 { remarks.append("too few deliveries for the higher percentiles") }
    }

    func milliseconds(_ nanoseconds: UInt64) -> String { (Double(nanoseconds) / 1e6).formatted(2) }
}

extension Double {
    /// With a fixed number of digits behind the point.
    func formatted(_ digits: Int) -> String { String(format: "%.\(digits)f", self) }
}
