import BelfryClient
import Histogram
import LoadReport

/// The result of a fan-out run.
struct FanoutResult {
    let plan: FanoutPlan
    let setupSeconds: Double
    /// The usage during the measured part: from the end of the warm-up to the last delivery.
    var usage: Usage?
    var sampledDeliveries = 0
    /// The number of processes with clients.
    var processes = 1
    /// The server's peak memory in bytes.
    var serverMemory: Int?
    var allAnswered = true
    private var delivered = 0
    private var sends = SendTally()
    private var stretches: [Histogram<UInt64>] = []
    private var hearing = Hearing()
    private var problems = ProblemList()
    private var nodes: [NodeLoad] = []

    init(plan: FanoutPlan, setupSeconds: Double) {
        self.plan = plan
        self.setupSeconds = setupSeconds
    }

    mutating func conclude(_ answers: [FanoutShare.Answer], _ sends: SendTally) {
        self.sends = sends
        problems.add(sends.problems)
        if !allAnswered { problems.add("some replies never arrived") }
        for answer in answers {
            delivered += answer.delivered
            guard let findings = answer.findings else { continue }
            hearing.merge(findings.hearing)
            problems.merge(findings.problems)
            nodes.merge(findings.nodes)
        }
        stretches = (0..<plan.pace.stretchCount).map { stretch in
            Histogram(merging: answers.compactMap { $0.findings?.stretches[stretch].histogram })
        }
    }

    var report: Report {
        let latency = Histogram(merging: stretches)
        let acknowledgement = sends.state.withLock(\.latency)
        var remarks = sends.remarks + (usage?.remarks(loops: plan.loops * processes) ?? [])
        if latency.totalCount < 1_000 { remarks.append("there are too few deliveries for the higher percentiles") }
        return Report(
            scenario: "fanout", question: "How fast does one message reach everyone in a large room?",
            method: "Some publishers send to one room in which everyone else listens. Messages are sent at fixed "
                + "times, regardless of the earlier ones (open loop). Latency is measured from the intended time, so "
                + "it includes the time that a message had to wait. Every delivery is recorded, and every listener's "
                + "messages are checked one by one.",
            settings: [
                .init("subscribers", "\(plan.subscribers)", "listening clients, all in one room"),
                .init("publishers", "\(plan.publishers)", "clients that send but do not listen"),
                .init("rate", "\(plan.pace.rate)/s", "messages, all publishers together"),
                .init("seconds", "\(plan.pace.seconds)", "duration of the measured part"),
                .init("warmup", "\(plan.pace.warmupSeconds) s", "load before the measured part"),
                .init("bytes", "\(plan.textBytes)", "text in a message"),
                .init(
                    "raw", plan.isRaw ? "yes" : "no",
                    "whether subscribers parse frames themselves instead of using the client library"),
                .init("processes", "\(processes)", "processes that run the subscribers"),
            ],
            figures: figures(latency),
            distributions: [
                latency.distribution("intended time to delivery"),
                acknowledgement.distribution("intended time to acknowledgement"),
            ],
            series: OverTime(stretches: stretches, stretchSeconds: plan.pace.stretchSeconds).series("deliveries"),
            checks: [sends.check] + hearing.checks(delivered: delivered, of: plan.deliveries),
            remarks: remarks, problems: problems.lines)
    }

    /// Whether the run has the shape for which goals are set: 400 messages/s × 1,000 from 50 senders.
    private var hasTableShape: Bool {
        plan.pace.rate == 400 && plan.subscribers == 1_000 && plan.publishers == 50 && plan.textBytes == 300
    }

    private func figures(_ latency: Histogram<UInt64>) -> [Report.Figure] {
        var figures: [Report.Figure] = []
        if let usage, usage.seconds > 0 {
            figures.append(.init("deliveries", Double(sampledDeliveries) / usage.seconds, "/s"))
        }
        figures += [
            .init("latency, median", latency.milliseconds(50), "ms"),
            .init("latency, 99 %", latency.milliseconds(99), "ms", goal: hasTableShape ? .atMost(25) : nil),
        ]
        figures += usage?.figures(per: "delivery", count: sampledDeliveries) ?? []
        figures += nodes.figures(
            usage, deliveries: sampledDeliveries, messages: plan.pace.messages - plan.pace.warmupMessages)
        return figures + Report.Figure.aftermath(serverMemory: serverMemory, setupSeconds: setupSeconds)
    }
}
