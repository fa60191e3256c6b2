import LoadReport

/// The texts that explain a comparison to its readers.
extension CompareResult {
    /// The method, one paragraph per line.
    var method: String {
        [
            """
            All servers run all the time and take turns. In each of the \(Amount.whole(plan.rounds)) rounds every server has one turn, \
            and each round begins with another server. In a turn one publisher sends to \(Amount.whole(plan.subscribers)) \
            subscribers: first \(Amount.whole(plan.singles)) single messages, each when everybody has the one before; then \
            \(Amount.whole(plan.bursts)) bursts of \(plan.burst) messages at once, each when everybody has the burst before.\(turns)
            """,
            """
            The tester is one thread with WebSocket code of its own. It checks that each subscriber hears each message once \
            and in its place. Tester and servers share the machine’s cores, and nothing is pinned to one of them. CPU is what \
            the scheduler counted for all threads of a server’s processes, the kernel’s work for them included.
            """,
            """
            Belfry does all of its work: tokens, JSON, the chat’s rules, and a journal that is synced to the disk before \
            anything is acknowledged. The others only pass bytes on.
            """,
        ].joined(separator: "\n")
    }

    static let aboutGoals = """
        The goals are the project’s own, set beforehand: in CPU per delivery not more than uWebSockets, which is \
        written for speed; at most 1.05\u{A0}× the kernel floor, which does nothing but send; at most 0.6\u{A0}× SwiftNIO, on which \
        servers in Swift are usually built, and nchan, which does the same in nginx; and 1.5 million deliveries a second \
        from one core in bursts. The other servers are there for orientation: there is no goal against them, and none for \
        memory or the measured rate.
        """

    var measures: [Report.Comparison.Measure] {
        [
            .init(
                "CPU per delivery, single messages", "µs", better: .less,
                note: "Nothing can share a write here: each listener takes a send of its own, for the floor as well."),
            .init("CPU per delivery, bursts", "µs", better: .less, note: burstNote),
            .init(
                "deliveries in bursts", "/s", better: .more,
                note: """
                    By the clock, with the tester on the same cores: it reads everything that is delivered, so it is part of \
                    the limit of the fastest.
                    """),
            .init(
                "memory for a connection", "KiB", better: .less,
                note: """
                    Measured once, so there is no spread: what the resident memory of the server’s processes grew by while \
                    \(Amount.whole(plan.subscribers)) clients came. The kernel’s socket buffers are not in it; for Belfry its \
                    record of the room’s members is. The kernel floor keeps nothing for a connection.
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
            Events that come together can leave in one write for each listener, and the write is most of the cost. Belfry does \
            so; the kernel floor does too, for it reads the whole burst at once and passes it on with one send. A single \
            message costs so many times a message of a burst: \(factors.joined(separator: ", ")). Those near 1 write each \
            event by itself.
            """
    }

    private var turns: String {
        func range(_ isOurs: Bool) -> String? {
            let all = zip(contenders, readings).filter { ($0.0.role == .belfry) == isOurs }.flatMap(\.1.turns)
            return Report.Comparison.Spread(of: all).map { "\(Amount.text($0.least)) to \(Amount.text($0.greatest)) s" }
        }
        guard let ours = range(true), let others = range(false) else { return "" }
        return " A turn took \(ours) at Belfry and \(others) at the others."
    }
}
