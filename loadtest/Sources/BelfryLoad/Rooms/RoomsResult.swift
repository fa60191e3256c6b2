import Histogram
import LoadReport

/// The result of a run with many small rooms.
struct RoomsResult {
    let plan: RoomsPlan
    let setupSeconds: Double
    /// The usage during the measured part: from the end of the warm-up to the last delivery.
    var usage: Usage?
    var sampledDeliveries = 0
    /// The server's peak memory in bytes.
    var serverMemory: Int?
    var allAnswered = true
    private var delivered = 0
    private var busiestRoom = 0
    private var sends = SendTally()
    private var stretches: [Histogram<UInt64>] = []
    private var hearing = Hearing()
    private var problems = ProblemList()

    init(plan: RoomsPlan, setupSeconds: Double) {
        self.plan = plan
        self.setupSeconds = setupSeconds
    }

    mutating func conclude(_ people: RoomCrowd, _ book: RoomBook, _ sends: SendTally, _ tallies: [LoopTally]) {
        self.sends = sends
        delivered = tallies.delivered
        stretches = tallies.latencies()
        problems.add(sends.problems)
        if !allAnswered { problems.add("some answers never came") }
        let places = book.places
        busiestRoom = places.map(\.count).max() ?? 0
        hearing = people.hearing(of: places, to: &problems)
    }

    var report: Report {
        let latency = Histogram(merging: stretches)
        return Report(
            scenario: "rooms", question: "How fast are messages when they go to thousands of small rooms?",
            method: "Everyone is in several rooms, listens in all of them and sends now and then. Which room the next "
                + "message goes to is drawn by Zipf's law: a few rooms are busy and most are quiet, as in a real chat. "
                + "Messages leave at fixed times, whatever becomes of those before, and latency counts from the time at "
                + "which a message was to leave, for each member of its room, the sender included.",
            settings: settings, figures: figures(latency),
            distributions: [
                latency.distribution("intended time to delivery"),
                sends.state.withLock(\.latency).distribution("intended time to acknowledgement"),
            ],
            series: OverTime(stretches: stretches, stretchSeconds: plan.pace.stretchSeconds).series("deliveries"),
            checks: [sends.check] + hearing.checks(delivered: delivered, of: plan.deliveries),
            remarks: sends.remarks + (usage?.remarks(loops: plan.loops) ?? []), problems: problems.lines)
    }

    private var settings: [Report.Setting] {
        [
            .init("rooms", "\(plan.seating.rooms)", "channels"),
            .init("members", "\(plan.roomSize)", "people in each"),
            .init("users", "\(plan.seating.users)", "clients, each in up to \(plan.roomsPerUser) rooms"),
            .init("rate", "\(plan.pace.rate)/s", "messages to all rooms together"),
            .init("zipf", "\(plan.zipfExponent)", "exponent; 0 makes all rooms alike"),
            .init("seed", "\(plan.seed)", "of who is where and what goes where; the same seed, the same run"),
            .init("seconds", "\(plan.pace.seconds)", "how long the measured part lasts"),
            .init("warmup", "\(plan.pace.warmupSeconds) s", "sending before that, which is not measured"),
            .init("bytes", "\(plan.textBytes)", "text in a message"),
        ]
    }

    /// Whether the run has the shape for which goals are set: 2,000 rooms of 8, 20,000 deliveries per second.
    private var hasTableShape: Bool {
        plan.seating.rooms == 2_000 && plan.roomSize == 8 && plan.pace.rate == 2_500 && plan.textBytes == 300
    }

    private func figures(_ latency: Histogram<UInt64>) -> [Report.Figure] {
        var figures: [Report.Figure] = []
        if let usage, usage.seconds > 0 {
            figures.append(.init("deliveries", Double(sampledDeliveries) / usage.seconds, "/s"))
        }
        figures += [
            .init("latency, median", latency.milliseconds(50), "ms", goal: hasTableShape ? .atMost(1.5) : nil),
            .init("latency, 99 %", latency.milliseconds(99), "ms", goal: hasTableShape ? .atMost(8) : nil),
        ]
        figures += usage?.figures(per: "delivery", count: sampledDeliveries) ?? []
        figures.append(.init("messages in the busiest room", Double(busiestRoom)))
        return figures + Report.Figure.aftermath(serverMemory: serverMemory, setupSeconds: setupSeconds)
    }
}
