import Histogram
import LoadReport

/// The result of a storm run.
struct StormResult {
    let plan: StormPlan
    var usage: Usage?
    /// The number of processes with clients.
    var processes = 1
    /// The server's memory in bytes: before the cut, while all clients are disconnected, and the peak while they
    /// reconnect.
    var memoryBefore: Int?
    var memoryAway: Int?
    var memoryPeak: Int?
    var memoryIsReset = true
    private var times = StormTimes()
    private var found = StormFindings()

    init(plan: StormPlan) { self.plan = plan }

    mutating func add(_ findings: StormFindings) {
        times.add(connected: findings.connected, recovered: findings.recovered)
        found.merge(findings)
    }

    var report: Report {
        Report(
            scenario: "storm", question: "How long until everyone is back after all connections broke at once?",
            method: "Everyone listens to one of some rooms with history. All connections are cut at once, without a "
                + "good-bye. While they are away, messages are sent to every room. Then all come back at the same "
                + "moment, each with its token and the position it had reached; a client has recovered when it has heard "
                + "the last message that it missed. That comes with the answer to its token, so being taken in and having "
                + "recovered are mostly the same moment. Times count from the same moment for everyone. The clients do not wait "
                + "a random while before they come, as the libraries do: this is the worst case.",
            settings: [
                .init("clients", "\(plan.clients)", "all of which come back at once"),
                .init("rooms", "\(plan.rooms.count)", "each client is in one"),
                .init("history", "\(plan.history)", "messages in each room before that"),
                .init("missed", "\(plan.missed)", "messages in each room while everyone is away"),
                .init("bytes", "\(plan.textBytes)", "text in a message"),
                .init("processes", "\(processes)", "that the clients live in"),
                .init("tls", plan.speaksTLS ? "yes" : "no", "whether connections are encrypted"),
            ],
            figures: figures,
            distributions: [
                times.recovered.distribution("setting out to having recovered"),
                times.connected.distribution("setting out to being taken in"),
            ],
            series: [times.series],
            checks: [
                .init(
                    "everyone came back", found: "\(times.connectedCount) of \(plan.clients)",
                    passed: times.connectedCount == plan.clients),
                .init(
                    "everyone heard what was missed, once",
                    found:
                        "\(times.recoveredCount) of \(plan.clients) clients, \(found.hearing.missing) messages missing, "
                        + "\(found.hearing.doubled) doubled",
                    passed: times.recoveredCount == plan.clients && found.hearing.missing + found.hearing.doubled == 0),
                .init(
                    "every offset in order, across the absence",
                    found: "\(found.hearing.outOfOrder) steps out of order",
                    passed: found.hearing.outOfOrder == 0),
                .init("nobody has a gap", found: "\(found.gaps) were told that they have", passed: found.gaps == 0),
            ],
            remarks: remarks, problems: found.problems.lines)
    }

    private var remarks: [String] {
        var remarks = usage?.remarks(loops: plan.loops * processes) ?? []
        if memoryPeak == nil { remarks.append("the server's memory cannot be seen: name its process with --pid") }
        if memoryPeak != nil, !memoryIsReset {
            remarks.append("the highest memory is that of the server's whole life: the kernel would not forget it")
        }
        return remarks
    }

    private var figures: [Report.Figure] {
        let hasTableShape = plan.clients >= 15_000 && plan.missed == 20
        let last = times.connected.milliseconds(100) / 1_000
        var figures = [50.0, 90, 99, 100].map { percent in
            Report.Figure(
                "\(percent.formatted(0)) % have recovered after", times.recovered.milliseconds(percent) / 1_000, "s",
                goal: hasTableShape && percent == 99 ? .atMost(15) : nil)
        }
        if last > 0 { figures.append(.init("taken in", Double(times.connectedCount) / last, "/s")) }
        figures.append(.init("attempts to connect that failed", Double(found.attempts)))
        if let memoryPeak, let memoryBefore {
            figures.append(
                .init(
                    "server memory at its highest, divided by that before the cut",
                    Double(memoryPeak) / Double(memoryBefore),
                    "×",
                    goal: hasTableShape ? .atMost(1.5) : nil))
            figures.append(.init("server memory before the cut", Double(memoryBefore) / 1_048_576, "MiB"))
        }
        if let memoryAway {
            figures.append(.init("server memory while all are away", Double(memoryAway) / 1_048_576, "MiB"))
        }
        if let memoryPeak {
            figures.append(.init("server memory at its highest", Double(memoryPeak) / 1_048_576, "MiB"))
        }
        return figures + (usage?.figures(per: "client", count: times.connectedCount) ?? [])
    }
}
