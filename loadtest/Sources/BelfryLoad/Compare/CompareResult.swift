import LoadReport

/// The result of a comparison, and its goals.
struct CompareResult {
    let plan: ComparePlan
    let contenders: [Contender]
    let readings: [CompareRun.Readings]
    /// The machine's noise right before each round.
    var noise: [Double] = []

    /// Goals apply to this number of subscribers, and to medians of at least ten rounds.
    private var hasGoals: Bool { plan.subscribers == 1_000 && plan.rounds >= 10 }

    /// Goals for the ratio of CPU per delivery of single messages, by the contender's name.
    static let singleGoals: [String: Double] = [
        "uWebSockets": 1.00, "kernel floor": 1.05, "SwiftNIO": 0.6, "nchan": 0.6,
    ]
    /// Goals for the ratio of CPU per delivery in bursts, by the contender's name.
    static let burstGoals: [String: Double] = ["uWebSockets": 1.00]
    /// The goal for deliveries per second of one core, in bursts.
    static let deliveriesOfACore = 1_500_000.0

    var report: Report {
        Report(
            scenario: "compare",
            question: "What does a delivery cost with Belfry, compared with other servers and with the bare kernel?",
            method: method, settings: settings, figures: figures, comparisons: [comparison], checks: checks,
            aboutGoals: hasGoals ? Self.aboutGoals : nil)
    }

    private var settings: [Report.Setting] {
        [
            Report.Setting("subscribers", Amount.whole(plan.subscribers), "connections in the room, per server"),
            Report.Setting("rounds", Amount.whole(plan.rounds), "with one turn per server"),
            Report.Setting("singles", Amount.whole(plan.singles), "single messages per turn"),
            Report.Setting("bursts", Amount.whole(plan.bursts), "bursts per turn, after the single messages"),
            Report.Setting("burst", Amount.whole(plan.burst), "messages per burst, sent in one write"),
            Report.Setting(
                "warm-up", Amount.whole(plan.warmup), "unmeasured messages per server before the first round"),
            Report.Setting("event bytes", Amount.whole(eventBytes), "payload of an event, the same for all servers"),
        ]
    }

    private var figures: [Report.Figure] {
        guard let ours, let rate = Report.Comparison.Spread(of: ours.rate),
            let core = Report.Comparison.Spread(of: ours.burst.filter { $0 > 0 }.map { 1e6 / $0 })
        else { return [] }
        return [
            Report.Figure(
                "measured: Belfry’s deliveries in bursts, with the tester on the same cores", rate.median, "/s",
                spread: rate.least...rate.greatest),
            Report.Figure(
                "calculated: deliveries in bursts that one core could make, 1 / CPU per delivery", core.median, "/s",
                spread: core.least...core.greatest, goal: hasGoals ? .atLeast(Self.deliveriesOfACore) : nil),
        ]
    }

    private var checks: [Report.Check] {
        Self.checks(
            zip(contenders, readings).map { ($0.name, $1.problems.first) },
            that: "every subscriber received every message once and in order",
            found: "\(Amount.whole(plan.subscribers * plan.messages)) deliveries at each")
    }

    /// One check for the servers that succeeded, and one for each that failed.
    ///
    /// - Parameter servers: The name of each, and what went wrong there.
    static func checks(
        _ servers: [(name: String, problem: String?)], that what: String, found: String
    ) -> [Report.Check] {
        let good = servers.filter { $0.problem == nil }.map(\.name)
        var checks: [Report.Check] = []
        if !good.isEmpty {
            let whom = good.count == servers.count ? "all \(servers.count) servers" : good.joined(separator: ", ")
            checks.append(Report.Check("\(whom): \(what)", found: found, passed: true))
        }
        for case (let name, let problem?) in servers {
            checks.append(Report.Check("\(name): \(what)", found: problem, passed: false))
        }
        return checks
    }

    private var eventBytes: Int { readings.map(\.eventBytes).max() ?? 0 }

    private var ours: CompareRun.Readings? { contenders.firstIndex { $0.role == .belfry }.map { readings[$0] } }

    private var comparison: Report.Comparison {
        Report.Comparison(
            "One room of \(Amount.whole(plan.subscribers))",
            method:
                "CPU per delivery in single messages and in bursts of \(plan.burst), deliveries a second in bursts, "
                + "and memory for a connection.",
            rounds: plan.rounds, measures: measures,
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
                    ], threads: readings.threads > 0 ? readings.threads : nil)
            }, noise: noise.isEmpty ? nil : noise)
    }

    /// - Parameter ours: Belfry's values in the same rounds; nil for Belfry itself.
    static func reading(_ values: [Double], of ours: [Double]?, goal: Report.Goal?) -> Report.Comparison.Reading? {
        guard let spread = Report.Comparison.Spread(of: values) else { return nil }
        let ratios = ours.map { ours in zip(ours, values).filter { $0.1 > 0 }.map { $0.0 / $0.1 } }
        return Report.Comparison.Reading(
            spread, ratio: ratios.flatMap(Report.Comparison.Spread.init), goal: goal,
            rounds: values.count > 1 ? values : nil)
    }
}
