import LoadReport

/// The result of a run with stalled subscribers; times in milliseconds.
struct SlowResult {
    struct Round {
        let p50Before, p99Before, p50With, p99With: Double
        /// Memory of the server's process per stalled connection; nil if unknown.
        let bytesPerStalled: Int?

        var ratio: Double { p99With / max(p99Before, 0.001) }
    }

    let plan: FanoutPlan
    let stalled: Int
    /// Seconds of sending in each half of a round.
    let halfSeconds: Int
    var rounds: [Round] = []
    var hearing = Hearing()
    var sends = SendTally()
    var distributions: [Report.Distribution] = []
    var problems = ProblemList()

    var report: Report {
        Report(
            scenario: "slow", question: "What do listeners notice when others in their room stop reading?",
            method:
                "Everyone is in one room. Each round sends for some seconds to clients that read. Then clients "
                + "connect that never read, their kernel buffers are filled, and the same is sent again. A round's "
                + "ratio is the readers' 99th percentile with the stalled clients, divided by the one without them. "
                + "The figures are medians of the rounds; the percentiles below are of all rounds together. Messages "
                + "are sent at fixed times, and latency is measured from those.",
            settings: [
                .init("subscribers", "\(plan.subscribers)", "clients that read"),
                .init("stalled", "\(stalled)", "clients that do not read, in the second half of each round"),
                .init("rounds", "\(rounds.count)", "each with and without stalled clients"),
                .init("rate", "\(plan.pace.rate)/s", "messages"),
                .init("seconds", "\(halfSeconds)", "seconds of sending in each half of a round"),
                .init("bytes", "\(plan.textBytes)", "text in a message"),
            ],
            figures: figures, distributions: distributions,
            series: [
                series("99th percentile without stalled listeners", "ms", \.p99Before),
                series("99th percentile with stalled listeners", "ms", \.p99With),
                series("ratio of the two", "", \.ratio),
            ],
            checks: [
                sends.check,
                .init(
                    "every reader received every message once and in order",
                    found: "\(hearing.missing) missing, \(hearing.doubled) duplicated, "
                        + "\(hearing.outOfOrder) out of order",
                    passed: hearing.missing + hearing.doubled + hearing.outOfOrder == 0),
                .init(
                    "no reader lost the connection", found: "\(hearing.lostConnections) lost",
                    passed: hearing.lostConnections == 0),
            ],
            remarks: sends.remarks, problems: problems.lines)
    }

    private var figures: [Report.Figure] {
        [
            figure("99 % with stalled listeners, divided by 99 % without", "", rounds.map(\.ratio)),
            figure("latency without them, median of a round", "ms", rounds.map(\.p50Before)),
            figure("latency without them, 99 % of a round", "ms", rounds.map(\.p99Before)),
            figure("latency with them, median of a round", "ms", rounds.map(\.p50With)),
            figure("latency with them, 99 % of a round", "ms", rounds.map(\.p99With)),
            figure(
                "server memory for each stalled listener", "KiB",
                rounds.compactMap(\.bytesPerStalled).map { Double($0) / 1_024 }
            ),
        ].compactMap(\.self)
    }

    /// Returns the median of the rounds with their spread.
    private func figure(_ name: String, _ unit: String, _ values: [Double]) -> Report.Figure? {
        Report.Comparison.Spread(of: values).map { spread in
            Report.Figure(name, spread.median, unit, spread: spread.least...spread.greatest)
        }
    }

    private func series(_ name: String, _ unit: String, _ value: (Round) -> Double) -> Report.Series {
        Report.Series(
            name, over: "round", unit: unit,
            points: rounds.enumerated().map { Report.Series.Point(Double($0 + 1), value($1)) })
    }
}
