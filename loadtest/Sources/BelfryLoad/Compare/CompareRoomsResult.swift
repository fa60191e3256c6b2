import LoadReport

/// The result of the small-rooms case.
struct CompareRoomsResult {
    let plan: CompareRoomsPlan
    let outcome: CompareRoomsRun.Outcome

    var report: Report {
        var report = Report(
            scenario: "compare",
            question: "What does a message to a small room cost with Belfry, other servers and the bare kernel?",
            method: method, settings: settings, comparisons: [comparison], checks: checks, remarks: remarks)
        report.title = "small rooms"
        return report
    }

    /// The method, one paragraph per line.
    private var method: String {
        [
            """
            \(Amount.whole(plan.connections)) connections are in \(Amount.whole(plan.rooms)) rooms, each in one. \
            Members send to their room at fixed times, regardless of the earlier messages. The order of the senders is \
            random, but the same for every server. Latency is measured from the intended time of a message, for each \
            member of the room, including the sender. CPU is what the scheduler counted for all threads of a server’s \
            processes, including the kernel’s work for them.
            """,
            """
            The servers take turns. In each of the \(Amount.whole(plan.rounds)) rounds every server has one turn, and \
            each round begins with a different server. A server is started for its turn and stopped after it, because \
            a process cannot open that many connections to all servers at once. The tester is one thread with its own \
            WebSocket code, on the same cores.
            """,
            """
            Belfry does all of its work: tokens, JSON, the chat’s rules, and a journal that is synced to the disk \
            before anyone receives a message. The centrifuge library also speaks JSON and checks commands, but stores \
            nothing. The other servers pass the text on unchanged. The floors do not even speak WebSocket; the one \
            with fdatasync first writes the input of each turn of its loop to a file, with one write and one sync.
            """,
        ].joined(separator: "\n")
    }

    private var settings: [Report.Setting] {
        [
            .init("rooms", Amount.whole(plan.rooms), "rooms per server"),
            .init("members", Amount.whole(plan.members), "connections per room"),
            .init("rate", "\(Amount.whole(plan.pace.rate))/s", "messages to all rooms together"),
            .init("bytes", Amount.whole(plan.textBytes), "text in a message, without the JSON around it"),
            .init("rounds", Amount.whole(plan.rounds), "with one turn per server"),
            .init("seconds", Amount.whole(plan.pace.seconds), "duration of the measured part of a turn"),
            .init("warmup", "\(plan.pace.warmupSeconds) s", "sending before the measured part"),
        ]
    }

    private static let measures: [Report.Comparison.Measure] = [
        .init(
            "CPU per message", "µs", better: .less,
            note: "For receiving one message and delivering it to everyone in its room."),
        .init("latency, median", "ms", better: .less, note: "From the intended time of a message to its delivery."),
        .init(
            "latency, 99 %", "ms", better: .less,
            note: "All values include the tester, which reads every delivery on the same cores."),
    ]

    private var comparison: Report.Comparison {
        let rows = zip(outcome.contenders, outcome.readings)
        let ours = rows.first { $0.0.role == .belfry }?.1
        return Report.Comparison(
            "\(Amount.whole(plan.rooms)) rooms of \(Amount.whole(plan.members))",
            method: "CPU per message, and latency from the intended time to the delivery.", rounds: plan.rounds,
            measures: Self.measures,
            contenders: rows.map { contender, readings in
                func reading(_ values: (CompareRoomsRun.Readings) -> [Double]) -> Report.Comparison.Reading? {
                    CompareResult.reading(
                        values(readings), of: contender.role == .belfry ? nil : ours.map(values), goal: nil)
                }
                return Report.Comparison.Contender(
                    contender.name, about: contender.about, role: contender.role,
                    readings: [reading(\.cpu), reading(\.median), reading(\.p99)],
                    threads: readings.threads > 0 ? readings.threads : nil)
            }, noise: outcome.noise.isEmpty ? nil : outcome.noise)
    }

    /// One check for the servers that succeeded, and one for each that failed.
    private var checks: [Report.Check] {
        CompareResult.checks(
            zip(outcome.contenders, outcome.readings).map { ($0.name, $1.problems.first) },
            that: "every message reached each member of its room exactly once",
            found: "\(Amount.whole(plan.rounds * plan.pace.messages * plan.members)) deliveries at each")
    }

    private var remarks: [String] {
        zip(outcome.contenders, outcome.readings).compactMap { contender, readings in
            guard readings.worstLateness > 20_000_000 else { return nil }
            let milliseconds = (Double(readings.worstLateness) / 1e6).formatted(2)
            return "the tester was up to \(milliseconds) ms late sending a message to \(contender.name)"
        }
    }
}
