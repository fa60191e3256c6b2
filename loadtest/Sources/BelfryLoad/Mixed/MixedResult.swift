import Histogram
import LoadReport

/// The result of a mixed run.
struct MixedResult {
    let plan: MixedPlan
    let setupSeconds: Double
    var usage: Usage?
    /// The server's peak memory in bytes.
    var serverMemory: Int?
    var allAnswered = true
    var reactionsAsked = 0
    var wrongReactions = 0
    var markersAsked = 0
    var wrongMarkers = 0
    var problems = ProblemList()
    private var delivered = 0
    private var texts = 0
    private var miscounted = 0
    private var sends = SendTally()
    private var answers: [Histogram<UInt64>] = []
    private var done: [Int] = []
    private var stretches: [Histogram<UInt64>] = []
    private var hearing = Hearing()

    init(plan: MixedPlan, setupSeconds: Double) {
        self.plan = plan
        self.setupSeconds = setupSeconds
    }

    mutating func conclude(_ people: RoomCrowd, _ tally: MixedTally, _ tallies: [LoopTally]) {
        sends = tally.sends
        delivered = tallies.delivered
        stretches = tallies.latencies()
        problems.add(sends.problems)
        if !allAnswered { problems.add("some answers never came") }
        let book = tally.state.withLock { state in
            (answers, done) = (state.answers, state.done)
            return state.book
        }
        texts = book.rooms.reduce(0) { $0 + $1.messages + $1.replies }
        hearing = people.hearing(of: book.rooms.map(\.places), to: &problems)
        // Unacknowledged operations may have happened, so the kinds cannot be counted.
        guard sends.state.withLock(\.failed).isEmpty else { return }
        for member in people.members {
            for (room, ledger) in member.ledgers.sorted(by: { $0.key < $1.key }) {
                if let problem = Self.miscount(ledger, book.rooms[room]) {
                    miscounted += 1
                    problems.add("\(member.link.name) in \(people.rooms[room]) heard \(problem)")
                }
            }
        }
    }

    /// - Returns: A description of the kinds whose counts differ from the acknowledged ones; nil if none does.
    static func miscount(_ ledger: RoomLedger, _ room: MixedBook.Room) -> String? {
        let kinds: [(String, RoomLedger.Kind, Int)] = [
            ("messages", .message, room.messages), ("replies", .reply, room.replies),
            ("reactions", .reaction, room.reactions),
        ]
        let wrong = kinds.filter { ledger.count(of: $0.1) != $0.2 }
        return wrong.isEmpty
            ? nil : wrong.map { "\(ledger.count(of: $0.1)) of \($0.2) \($0.0)" }.joined(separator: ", ")
    }

    var report: Report {
        let latency = Histogram(merging: stretches)
        return Report(
            scenario: "mixed", question: "How fast is the chat when people do all that people do?",
            method: "Everyone is in several small rooms and sends, answers in threads, reacts, marks rooms as read and "
                + "tells of typing, in the shares below. Everything leaves at fixed times, whatever becomes of what was "
                + "before, and latency counts from the time at which it was to leave. In the end the server is asked for "
                + "the reactions of every message and everyone's markers: they must be what was acknowledged.",
            settings: settings, figures: figures(latency),
            distributions: [latency.distribution("messages and replies: intended time to delivery")]
                + Activity.allCases.filter { answers.indices.contains($0.rawValue) }.map {
                    answers[$0.rawValue].distribution("\($0.name): intended time to answer")
                }.filter { $0.count > 0 },
            series: OverTime(stretches: stretches, stretchSeconds: plan.pace.stretchSeconds).series("deliveries"),
            checks: [sends.check] + hearing.checks(delivered: delivered, of: texts * plan.roomSize) + [
                .init(
                    "everyone heard as many messages, replies and reactions as there were",
                    found: "\(miscounted) counts that differ", passed: miscounted == 0),
                .init(
                    "the reactions of every message are what was acknowledged",
                    found: "\(reactionsAsked - wrongReactions) of \(reactionsAsked) messages",
                    passed: wrongReactions == 0),
                .init(
                    "everyone's markers are where they were acknowledged",
                    found: "\(markersAsked - wrongMarkers) of \(markersAsked) markers", passed: wrongMarkers == 0),
            ],
            remarks: sends.remarks + (usage?.remarks(loops: plan.loops) ?? []), problems: problems.lines)
    }

    private var settings: [Report.Setting] {
        [
            .init("rooms", "\(plan.seating.rooms)", "channels"),
            .init("members", "\(plan.roomSize)", "people in each"),
            .init("users", "\(plan.seating.users)", "clients, each in up to \(plan.roomsPerUser) rooms"),
            .init("rate", "\(plan.pace.rate)/s", "operations of all kinds and people together"),
            .init("shares", plan.shares.text, "of sending, replying, reacting, marking and typing"),
            .init("zipf", "\(plan.zipfExponent)", "exponent of how uneven the rooms are; 0 makes all alike"),
            .init("seed", "\(plan.seed)", "of the draws"),
            .init("seconds", "\(plan.pace.seconds)", "how long the measured part lasts"),
            .init("warmup", "\(plan.pace.warmupSeconds) s", "before that, which is not measured"),
            .init("bytes", "\(plan.textBytes)", "text in a message"),
        ]
    }

    private func figures(_ latency: Histogram<UInt64>) -> [Report.Figure] {
        let all = Histogram(merging: answers)
        var figures: [Report.Figure] = [
            .init("operations", Double(all.totalCount) / Double(plan.pace.seconds), "/s"),
            .init("delivery, median", latency.milliseconds(50), "ms"),
            .init("delivery, 99 %", latency.milliseconds(99), "ms"),
            .init("answer, 99 %", all.milliseconds(99), "ms"),
        ]
        figures += usage?.figures(per: "operation", count: Int(clamping: all.totalCount)) ?? []
        figures += zip(Activity.allCases, done).map { .init("done in all: \($0.name)", Double($1)) }
        return figures + Report.Figure.aftermath(serverMemory: serverMemory, setupSeconds: setupSeconds)
    }
}
