import LoadReport

/// The texts that explain a comparison to its readers.
extension CompareResult {
    /// The method, one paragraph per line.
    var method: String {
        [
            """
            All servers run throughout and take turns. In each of the \(Amount.whole(plan.rounds)) rounds every \
            server has one turn, and each round begins with a different server. In a turn one publisher sends to \
            \(Amount.whole(plan.subscribers)) subscribers: first \(Amount.whole(plan.singles)) single messages, each \
            when everyone has received the previous one; then \(Amount.whole(plan.bursts)) bursts of \(plan.burst) \
            messages, each when everyone has received the previous burst.\(turns)
            """,
            """
            The tester is one thread with its own WebSocket code. It checks that each subscriber receives each message \
            once and in order. Tester and servers share the machine’s cores, and no thread is pinned to a core. CPU is \
            what the scheduler counted for all threads of a server’s processes, including the kernel’s work for them.
            """,
            """
            Belfry does all of its work: tokens, JSON, the chat’s rules, and a journal that is synced to the disk \
            before anything is acknowledged. The others only pass bytes on.
            """,
        ].joined(separator: "\n")
    }

    static let aboutGoals = """
        The goals are the project’s own, set beforehand. CPU per delivery: no more than uWebSockets, which is written \
        for speed; at most 1.05\u{A0}× the kernel floor, which only sends; at most 0.6\u{A0}× SwiftNIO, the usual \
        basis of servers in Swift, and nchan, which does the same job in nginx. In bursts: 1.5 million deliveries a \
        second on one core. The other servers are for orientation: there are no goals for them, for memory or for the \
        measured rate.
        """

    var measures: [Report.Comparison.Measure] {
        [
            .init(
                "CPU per delivery, single messages", "µs", better: .less,
                note: "Messages cannot share a write here: each listener needs its own send, for the floor as well."),
            .init("CPU per delivery, bursts", "µs", better: .less, note: burstNote),
            .init(
                "deliveries in bursts", "/s", better: .more,
                note: """
                    In elapsed time, with the tester on the same cores. The tester reads every delivery, so it limits \
                    the fastest servers.
                    """),
            .init(
                "memory for a connection", "KiB", better: .less,
                note: """
                    Measured once, so there is no spread: how much the resident memory of the server’s processes grew \
                    while \(Amount.whole(plan.subscribers)) clients connected. It does not include the kernel’s socket \
                    buffers; for Belfry, it includes the record of the room’s members. The kernel floor stores nothing \
                    per connection.
                    """),
        ]
    }

    /// The reason why results differ more for bursts than for single messages.
    private var burstNote: String {
        let factors = zip(contenders, readings).compactMap { contender, readings -> String? in
            guard let single = Report.Comparison.Spread(of: readings.single)?.median,
                let burst = Report.Comparison.Spread(of: readings.burst)?.median, burst > 0
            else { return nil }
            return "\(contender.name) \(Amount.text(single / burst))"
        }
        return """
            Events that arrive together can be sent in one write per listener, and the write is most of the cost. \
            Belfry does so; so does the kernel floor, which reads the burst at once and passes it on with one send. \
            The cost of a single message, as a multiple of a message in a burst: \(factors.joined(separator: ", ")). \
            Servers near 1 write each event separately.
            """
    }

    private var turns: String {
        func range(_ isOurs: Bool) -> String? {
            let all = zip(contenders, readings).filter { ($0.0.role == .belfry) == isOurs }.flatMap(\.1.turns)
            return Report.Comparison.Spread(of: all).map { "\(Amount.text($0.least)) to \(Amount.text($0.greatest)) s" }
        }
        guard let ours = range(true), let others = range(false) else { return "" }
        return " A turn took \(ours) with Belfry and \(others) with the others."
    }
}
