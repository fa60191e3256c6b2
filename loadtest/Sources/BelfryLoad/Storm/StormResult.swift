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
            scenario: "storm", question: "How long until everyone has reconnected after all connections broke at once?",
            method: "Every client listens to one of several rooms with history. All connections are cut at once, "
                + "without a close frame. While the clients are away, messages are sent to every room. Then all "
                + "reconnect at the same moment, each with its token and last position; a client has recovered when "
                + "it has received the last message that it missed. That message arrives with the connect reply, so "
                + "connecting and recovering usually end at the same moment. Times are measured from the same moment "
                + "for everyone. Unlike the client libraries, these clients do not wait a random time before they "
                + "reconnect: this is the worst case.",
            settings: [
                .init("clients", "\(plan.clients)", "clients that reconnect at once"),
                .init("rooms", "\(plan.rooms.count)", "each client is in one"),
                .init("history", "\(plan.history)", "messages in each room before the cut"),
                .init("missed", "\(plan.missed)", "messages in each room while everyone is away"),
                .init("bytes", "\(plan.textBytes)", "text in a message"),
                .init("processes", "\(processes)", "processes that run the clients"),
                .init("tls", plan.speaksTLS ? "yes" : "no", "whether connections are encrypted"),
            ],
            figures: figures,
            distributions: [
                times.recovered.distribution("reconnect to recovered"),
                times.connected.distribution("reconnect to connected"),
            ],
            series: [times.series],
            checks: [
                .init(
                    "everyone reconnected", found: "\(times.connectedCount) of \(plan.clients)",
                    passed: times.connectedCount == plan.clients),
                .init(
                    "everyone received every missed message once",
                    found:
                        "\(times.recoveredCount) of \(plan.clients) clients, \(found.hearing.missing) messages "
                        + "missing, \(found.hearing.doubled) duplicated",
                    passed: times.recoveredCount == plan.clients && found.hearing.missing + found.hearing.doubled == 0),
                .init(
                    "every offset is in order across the disconnect",
                    found: "\(found.hearing.outOfOrder) steps out of order",
                    passed: found.hearing.outOfOrder == 0),
                .init("no client has a gap", found: "\(found.gaps) have one", passed: found.gaps == 0),
            ],
            remarks: remarks, problems: found.problems.lines)
    }

    private var remarks: [String] {
        var remarks = usage?.remarks(loops: plan.loops * processes) ?? []
        if memoryPeak == nil { remarks.append("the server's memory is unknown: specify its process id with --pid") }
        if memoryPeak != nil, !memoryIsReset {
            remarks.append("peak memory covers the time since the server started, because the kernel did not reset it")
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
        return figures + (usage?.figuresWithNodes(per: "client", count: times.connectedCount) ?? [])
    }
}
