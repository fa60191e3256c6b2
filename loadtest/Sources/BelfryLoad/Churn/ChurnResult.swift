import Histogram
import LoadReport

/// The result of a churn run: the measured visits and any leaked resources.
struct ChurnResult {
    let plan: ChurnPlan
    var usage: Usage?
    var membersLeft = 0
    private var stretches: [Histogram<UInt64>] = []
    private var joins = Histogram<UInt64>.latency()
    /// Counts and footprints of the measured part.
    private var visits = 0
    private var failures = 0
    private var before: Footprint?
    private var after: Footprint?
    private var leaks: [String] = []
    private var problems = ProblemList()

    init(plan: ChurnPlan) { self.plan = plan }

    /// Adds a ledger; the last one added covers the measured part.
    mutating func add(_ ledger: ChurnLedger) {
        ledger.state.withLock { state in
            stretches = state.connects
            joins = state.joins
            visits = state.visits
            failures += state.failures
            problems.add(state.firstFailures)
        }
    }

    mutating func compare(_ before: Footprint, _ after: Footprint) {
        (self.before, self.after) = (before, after)
        leaks = after.leaks(since: before, visits: visits)
        problems.add(leaks)
    }

    var report: Report {
        let connects = Histogram(merging: stretches)
        return Report(
            scenario: "churn", question: "How many clients a second can connect, authenticate and disconnect?",
            method: "Many clients at the same time connect, present their token, wait until the server accepts it, and "
                + "disconnect; then the next client follows (closed loop). Some visits also join a room and "
                + "leave it again. Every user has connected once before, and the first visits are not measured. The "
                + "server's memory and descriptors are read after those and at the end, when they must have returned "
                + "to the earlier values: visits leave nothing allocated.",
            settings: [
                .init("concurrency", "\(plan.concurrency)", "concurrent visits"),
                .init("users", "\(plan.users)", "users who take turns"),
                .init(
                    "join-every", plan.joinEvery == 0 ? "none" : "\(plan.joinEvery)",
                    "one visit in this many joins a room"),
                .init("seconds", "\(plan.pace.seconds)", "duration of the measured part"),
                .init("warmup", "\(max(1, plan.pace.warmupSeconds)) s", "visits before the measured part"),
                .init("tls", plan.speaksTLS ? "yes" : "no", "whether connections are encrypted"),
            ],
            figures: figures(connects), distributions: distributions(connects),
            series: OverTime(stretches: stretches, stretchSeconds: plan.pace.stretchSeconds).series(
                "visits", at: "start time"),
            checks: [
                .init(
                    "every visit was accepted", found: "\(failures) failed of \(visits + failures)",
                    passed: failures == 0 && visits > 0),
                .init("everyone has left the room", found: "\(membersLeft) remain", passed: membersLeft == 0),
            ] + footprintCheck,
            remarks: usage?.remarks(loops: plan.loops) ?? [], problems: problems.lines)
    }

    /// The check for leaks; empty if the server's process is not visible.
    private var footprintCheck: [Report.Check] {
        guard let before, let after, let memory = before.memory, let later = after.memory,
            let descriptors = before.descriptors, let laterDescriptors = after.descriptors
        else { return [] }
        return [
            .init(
                "memory and descriptors have returned to the earlier values, except for "
                    + "\(Footprint.slack / 1_048_576) MiB, \(Footprint.bytesPerVisit) bytes per visit and "
                    + "\(Footprint.otherFiles) files",
                found: "\(memory / 1_048_576) and \(later / 1_048_576) MiB, \(descriptors) and \(laterDescriptors) "
                    + "descriptors", passed: leaks.isEmpty)
        ]
    }

    private func figures(_ connects: Histogram<UInt64>) -> [Report.Figure] {
        var figures: [Report.Figure] = [
            .init(
                "connections with token", Double(connects.totalCount) / Double(plan.pace.seconds), "/s",
                goal: .atLeast(plan.speaksTLS ? 1_500 : 5_000)),
            .init("connecting, median", connects.milliseconds(50), "ms"),
            .init("connecting, 99 %", connects.milliseconds(99), "ms"),
        ]
        figures += usage?.figuresWithNodes(per: "visit", count: visits) ?? []
        if let before = before?.memory, let after = after?.memory {
            figures.append(.init("server memory before", Double(before) / 1_048_576, "MiB"))
            figures.append(.init("server memory after", Double(after) / 1_048_576, "MiB"))
        }
        if let before = before?.descriptors, let after = after?.descriptors {
            figures.append(.init("server descriptors before", Double(before)))
            figures.append(.init("server descriptors after", Double(after)))
        }
        return figures
    }

    private func distributions(_ connects: Histogram<UInt64>) -> [Report.Distribution] {
        [connects.distribution("start to connected")]
            + (joins.totalCount > 0 ? [joins.distribution("joining a room")] : [])
    }
}
