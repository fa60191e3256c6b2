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
        if !allAnswered { problems.add("some replies never arrived") }
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
                    problems.add("\(member.link.name) in \(people.rooms[room]) received \(problem)")
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
            scenario: "mixed", question: "How fast is the chat under a realistic mix of operations?",
            method: "Every user is in several small rooms and sends, replies in threads, reacts, marks rooms as read "
                + "and types, in the proportions below. Operations are sent at fixed times, regardless of the "
                + "earlier ones, and latency is measured from the intended time. At the end the reactions of every "
                + "message and all read markers are queried: they must be those that were acknowledged.",
            settings: settings, figures: figures(latency),
            distributions: [latency.distribution("messages and replies: intended time to delivery")]
                + Activity.allCases.filter { answers.indices.contains($0.rawValue) }.map {
                    answers[$0.rawValue].distribution("\($0.name): intended time to reply")
                }.filter { $0.count > 0 },
            series: OverTime(stretches: stretches, stretchSeconds: plan.pace.stretchSeconds).series("deliveries"),
            checks: [sends.check] + hearing.checks(delivered: delivered, of: texts * plan.roomSize) + [
                .init(
                    "everyone received every message, reply and reaction",
                    found: "\(miscounted) counts differ", passed: miscounted == 0),
                .init(
                    "the reactions of every message are those acknowledged",
                    found: "\(reactionsAsked - wrongReactions) of \(reactionsAsked) messages",
                    passed: wrongReactions == 0),
                .init(
                    "all read markers are where they were acknowledged",
                    found: "\(markersAsked - wrongMarkers) of \(markersAsked) markers", passed: wrongMarkers == 0),
            ],
            remarks: sends.remarks + (usage?.remarks(loops: plan.loops) ?? []), problems: problems.lines)
    }

    private var settings: [Report.Setting] {
        [
            .init("rooms", "\(plan.seating.rooms)", "channels"),
            .init("members", "\(plan.roomSize)", "members of each"),
            .init("users", "\(plan.seating.users)", "clients, each in up to \(plan.roomsPerUser) rooms"),
            .init("rate", "\(plan.pace.rate)/s", "operations, all kinds and users together"),
            .init("shares", plan.shares.text, "proportions of sending, replying, reacting, marking and typing"),
            .init("zipf", "\(plan.zipfExponent)", "exponent of Zipf's law; 0 gives all rooms equal shares"),
            .init("seed", "\(plan.seed)", "seed of the random choices"),
            .init("seconds", "\(plan.pace.seconds)", "duration of the measured part"),
            .init("warmup", "\(plan.pace.warmupSeconds) s", "operations before the measured part"),
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
        figures += usage?.figuresWithNodes(per: "operation", count: Int(clamping: all.totalCount)) ?? []
        figures += zip(Activity.allCases, done).map { .init("done in all: \($0.name)", Double($1)) }
        return figures + Report.Figure.aftermath(serverMemory: serverMemory, setupSeconds: setupSeconds)
    }
}
