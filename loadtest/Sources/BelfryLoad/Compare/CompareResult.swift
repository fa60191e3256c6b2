import LoadReport

/// What a comparison has shown, and what is wanted of it.
struct CompareResult {
    let plan: ComparePlan
    let contenders: [Contender]
    let readings: [CompareRun.Readings]

    /// Goals are told for this many subscribers, and for medians of at least ten rounds.
    private var hasGoals: Bool { plan.subscribers == 1_000 && plan.rounds >= 10 }

    /// Ratios of CPU per delivery that are wanted of single messages, by the contender's name.
    static let singleGoals: [String: Double] = [
        "uWebSockets": 1.00, "kernel floor": 1.05, "SwiftNIO": 0.6, "nchan": 0.6,
    ]
    /// The same of bursts.
    static let burstGoals: [String: Double] = ["uWebSockets": 1.00]
    /// Deliveries a second that one core is to bear in bursts.
    static let deliveriesOfACore = 1_500_000.0

    var report: Report {
        var report = Report(
            scenario: "compare",
            question: "What does a delivery cost with Belfry, beside other servers and beside the bare kernel?",
            method: """
                All servers run all the time and have the same load in turn, \(plan.rounds) rounds of it, each round \
                beginning with another one. One publisher sends, \(plan.subscribers) subscribers listen; the tester's \
                connections are its own code, and it counts every message of every subscriber and holds it against its \
                place. Single messages: the next one leaves when everybody has the one before. Bursts: \(plan.burst) \
                leave at once, the next \(plan.burst) when everybody has them. CPU is what the scheduler counted for all \
                processes of the server. Belfry does the whole of its work, with tokens, JSON, the chat's \
                rules and a journal that is synced before anything is acknowledged; the others carry bytes.
                """,
            settings: [
                Report.Setting("subscribers", String(plan.subscribers), "connections in the room, at each server"),
                Report.Setting("rounds", String(plan.rounds), "turns of each server"),
                Report.Setting("singles", String(plan.singles), "single messages in a turn"),
                Report.Setting("bursts", "\(plan.bursts) of \(plan.burst)", "messages at once in a turn"),
                Report.Setting("event bytes", String(eventBytes), "payload of an event, the same at all servers"),
            ])
        report.comparisons = [comparison]
        if let ours, let spread = Report.Comparison.Spread(of: ours.burst.filter { $0 > 0 }.map { 1e6 / $0 }) {
            report.figures = [
                Report.Figure(
                    "Belfry in bursts: deliveries that one core bears", spread.median, "/s",
                    spread: spread.least...spread.greatest,
                    goal: hasGoals ? .atLeast(Self.deliveriesOfACore) : nil)
            ]
        }
        report.checks = zip(contenders, readings).map { contender, readings in
            Report.Check(
                "\(contender.name): every subscriber heard every message once and in order",
                found: readings.problems.first ?? "all did", passed: readings.problems.isEmpty)
        }
        return report
    }

    private var eventBytes: Int { readings.map(\.eventBytes).max() ?? 0 }

    private var ours: CompareRun.Readings? { contenders.firstIndex { $0.role == .belfry }.map { readings[$0] } }

    private var comparison: Report.Comparison {
        Report.Comparison(
            "one room of \(plan.subscribers)",
            method: "CPU per delivery in single messages and in bursts of \(plan.burst), and memory for a connection.",
            rounds: plan.rounds,
            measures: [
                .init("single messages: CPU per delivery", "µs", better: .less),
                .init("bursts: CPU per delivery", "µs", better: .less),
                .init("bursts: deliveries", "/s", better: .more),
                .init("memory for a connection", "KiB", better: .less),
            ],
            contenders: zip(contenders, readings).map { contender, readings in
                let isOurs = contender.role == .belfry
                func reading(
                    _ values: (CompareRun.Readings) -> [Double], atMost goal: Double? = nil
                ) -> Report.Comparison.Reading? {
                    Self.reading(
                        values(readings), of: isOurs ? nil : ours.map(values),
                        goal: isOurs || !hasGoals ? nil : goal.map { .atMost($0) })
                }
                return Report.Comparison.Contender(
                    contender.name, about: contender.about, role: contender.role,
                    readings: [
                        reading(\.single, atMost: Self.singleGoals[contender.name]),
                        reading(\.burst, atMost: Self.burstGoals[contender.name]),
                        reading(\.rate),
                        contender.role == .floor ? nil : reading { [Double($0.memory) / 1_024] },
                    ])
            })
    }

    /// - Parameter ours: Of the same rounds; nil for ours itself.
    static func reading(_ values: [Double], of ours: [Double]?, goal: Report.Goal?) -> Report.Comparison.Reading? {
        guard let spread = Report.Comparison.Spread(of: values) else { return nil }
        let ratios = ours.map { ours in zip(ours, values).filter { $0.1 > 0 }.map { $0.0 / $0.1 } }
        return Report.Comparison.Reading(spread, ratio: ratios.flatMap(Report.Comparison.Spread.init), goal: goal)
    }
}
