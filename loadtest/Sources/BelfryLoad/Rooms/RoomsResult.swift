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
    private var nodes: [NodeLoad] = []

    init(plan: RoomsPlan, setupSeconds: Double) {
        self.plan = plan
        self.setupSeconds = setupSeconds
    }

    /// - Parameter nodes: The number of the server's nodes.
    mutating func conclude(
        _ people: RoomCrowd, _ book: RoomBook, _ sends: SendTally, _ tallies: [LoopTally], nodes: Int
    ) {
        self.sends = sends
        self.nodes = people.loads(of: nodes)
        delivered = tallies.delivered
        stretches = tallies.latencies()
        problems.add(sends.problems)
        if !allAnswered { problems.add("some replies never arrived") }
        let places = book.places
        busiestRoom = places.map(\.count).max() ?? 0
        hearing = people.hearing(of: places, to: &problems)
    }

    var report: Report {
        let latency = Histogram(merging: stretches)
        return Report(
            scenario: "rooms", question: "How fast are messages delivered in thousands of small rooms?",
            method: "Every user is in several rooms, listens in all of them and sends now and then. The room of each "
                + "message is chosen by Zipf's law: a few rooms are busy and most are quiet, as in a real chat. "
                + "Messages are sent at fixed times, regardless of the earlier ones, and latency is measured from the "
                + "intended time, for each member of the room, including the sender.",
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
            .init("members", "\(plan.roomSize)", "members of each"),
            .init("users", "\(plan.seating.users)", "clients, each in up to \(plan.roomsPerUser) rooms"),
            .init("rate", "\(plan.pace.rate)/s", "messages to all rooms together"),
            .init("zipf", "\(plan.zipfExponent)", "exponent of Zipf's law; 0 gives all rooms equal shares"),
            .init("seed", "\(plan.seed)", "seed of the memberships and chosen rooms; the same seed repeats them"),
            .init("seconds", "\(plan.pace.seconds)", "duration of the measured part"),
            .init("warmup", "\(plan.pace.warmupSeconds) s", "load before the measured part"),
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
        figures += nodes.figures(
            usage, deliveries: sampledDeliveries, messages: plan.pace.messages - plan.pace.warmupMessages)
        figures.append(.init("messages in the busiest room", Double(busiestRoom)))
        return figures + Report.Figure.aftermath(serverMemory: serverMemory, setupSeconds: setupSeconds)
    }
}
