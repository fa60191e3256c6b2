import Foundation
import LoadReport
import RawLoad

/// The load applied to each server of a comparison.
struct ComparePlan {
    var subscribers = 1_000
    /// The number of turns of each server.
    var rounds = 10
    /// Single messages per turn; each is sent once everyone has received the previous one.
    var singles = 100
    /// Bursts per turn; each is sent once everyone has received the previous one.
    var bursts = 25
    /// Messages per burst, sent by the publisher in one write.
    var burst = 16

    /// Unmeasured messages to each server before the first round.
    let warmup = 20

    /// Messages that each subscriber receives, apart from a first one that determines the size of an event.
    var messages: Int { warmup + rounds * (singles + bursts * burst) }

    /// Returns the number of descriptors needed for the clients of all servers and for this process.
    func descriptors(servers: Int) -> Int { servers * (subscribers + 1) + 64 }
}

/// Applies the same load to several servers in alternation: all of them run throughout and take turns.
///
/// Other activity on the machine therefore affects all of them alike; ratios compare turns of the same round.
struct CompareRun {
    /// The measurements of one server.
    struct Readings {
        /// CPU per delivery in microseconds.
        var single: [Double] = []
        var burst: [Double] = []
        /// Deliveries per second of wall-clock time.
        var rate: [Double] = []
        /// Resident bytes per connection, after everyone connected.
        var memory = 0
        var eventBytes = 0
        /// The threads of all its processes, in the last round.
        var threads = 0
        /// The duration of each turn, in seconds.
        var turns: [Double] = []
        var problems: [String] = []
    }

    struct Outcome {
        /// The readings in the order of the contenders.
        var readings: [Readings]
        /// The machine's noise right before each round.
        var noise: [Double]
    }

    let plan: ComparePlan
    let contenders: [Contender]
    let progress: Progress

    /// - Throws: `LoadError` or `RawLoadError` when a server fails.
    func run() throws -> Outcome {
        var noise = NoiseLog()
        var readings = contenders.map { _ in Readings() }
        let poll = try RawPoll()
        let crowds = try contenders.indices.map { index in try crowd(index, poll, &readings[index]) }
        // Belfry determines the size of an event; the others get payloads of the same size.
        let bytes = readings.map(\.eventBytes).max() ?? 300
        for index in crowds.indices {
            try named(index) { for _ in 0..<plan.warmup { try crowds[index].publish(1, bytes: bytes) } }
        }
        for round in 0..<plan.rounds {
            noise.record()
            // Rotate the order so that no server always follows the same one.
            for step in contenders.indices {
                let index = (step + round) % contenders.count
                progress.show("round \(round + 1) of \(plan.rounds): \(contenders[index].name)")
                try poll.settle(milliseconds: 20)
                try named(index) {
                    let start = Clock.now
                    defer { readings[index].turns.append(Double(Clock.since(start)) / 1e9) }
                    let deliveries = Double(plan.subscribers)
                    let single = try measure(index) {
                        for _ in 0..<plan.singles { try crowds[index].publish(1, bytes: bytes) }
                    }
                    readings[index].single.append(single.cpu * 1e6 / (deliveries * Double(plan.singles)))
                    let burst = try measure(index) {
                        for _ in 0..<plan.bursts { try crowds[index].publish(plan.burst, bytes: bytes) }
                    }
                    let inBursts = deliveries * Double(plan.bursts * plan.burst)
                    readings[index].burst.append(burst.cpu * 1e6 / inBursts)
                    readings[index].rate.append(inBursts / burst.seconds)
                }
            }
        }
        for index in crowds.indices {
            readings[index].problems = crowds[index].problems
            readings[index].threads = ProcessTree.threads(of: contenders[index].pid)
        }
        progress.clear()
        return Outcome(readings: readings, noise: noise.ratios)
    }

    /// Connects all clients to a server, and attributes its memory growth to them.
    private func crowd(_ index: Int, _ poll: RawPoll, _ readings: inout Readings) throws -> RawCrowd {
        let contender = contenders[index]
        progress.show("connecting \(plan.subscribers) to \(contender.name)")
        return try named(index) {
            let crowd = RawCrowd(name: contender.name, dialect: contender.dialect, port: contender.port, poll: poll)
            let before = ProcessTree.memory(of: contender.pid)
            try crowd.gather(plan.subscribers)
            readings.memory = (ProcessTree.memory(of: contender.pid) - before) / plan.subscribers
            if contender.role == .belfry {
                try crowd.publish(1, bytes: 0)
                readings.eventBytes = crowd.eventBytes
            }
            return crowd
        }
    }

    private func measure(_ index: Int, _ body: () throws -> Void) rethrows -> (cpu: Double, seconds: Double) {
        let (cpu, start) = (ProcessTree.cpu(of: contenders[index].pid), Clock.now)
        try body()
        let (end, used) = (Clock.now, ProcessTree.cpu(of: contenders[index].pid))
        return (used - cpu, Double(end - start) / 1e9)
    }

    private func named<Result>(_ index: Int, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            throw LoadError("\(contenders[index].name): \(error)")
        }
    }
}
