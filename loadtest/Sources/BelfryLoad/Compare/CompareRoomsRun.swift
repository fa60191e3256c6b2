import Foundation
import Histogram
import LoadReport
import RawLoad

/// Puts the load of many small rooms on several servers in alternation. A server is started for each of its turns, so
/// that all of them find the machine alike however many connections they hold.
struct CompareRoomsRun {
    /// The measurements of one server, one for each round.
    struct Readings {
        /// CPU per message in microseconds.
        var cpu: [Double] = []
        /// From the intended time to the delivery, in milliseconds.
        var median: [Double] = []
        var p99: [Double] = []
        /// Of all its processes, in the last round.
        var threads = 0
        var problems: [String] = []
        /// The maximum delay of the tester itself, in nanoseconds.
        var worstLateness: UInt64 = 0
    }

    struct Outcome {
        /// As they were in their last turn; they have ended.
        var contenders: [Contender]
        /// In the contenders' order.
        var readings: [Readings]
        /// The machine's noise right before each round.
        var noise: [Double]
    }

    let plan: CompareRoomsPlan
    let entrants: [Entrant]
    let progress: Progress

    /// - Throws: `LoadError` or `RawLoadError` when a server fails.
    func run() throws -> Outcome {
        var noise = NoiseLog()
        var readings = entrants.map { _ in Readings() }
        var contenders: [Contender?] = entrants.map { _ in nil }
        for round in 0..<plan.rounds {
            noise.record()
            // Rotate the order, so that no server always follows the same one.
            for step in entrants.indices {
                let index = (step + round) % entrants.count
                let contender = try entrants[index].start()
                defer { contender.stop() }
                progress.show("small rooms, round \(round + 1) of \(plan.rounds): \(contender.name)")
                do {
                    try turn(at: contender, round, &readings[index])
                } catch {
                    throw LoadError("\(contender.name): \(error)")
                }
                contenders[index] = contender
            }
        }
        progress.clear()
        return Outcome(contenders: contenders.compactMap(\.self), readings: readings, noise: noise.ratios)
    }

    private func turn(at contender: Contender, _ round: Int, _ readings: inout Readings) throws {
        let book = RoomBookkeeping(plan)
        let rooms = try RawRooms(
            name: contender.name, dialect: contender.dialect, port: contender.port, rooms: plan.rooms,
            roomSize: plan.members, onMessage: book.record)
        defer { rooms.leave() }
        try rooms.gather()
        // The same senders for every server, other ones in each round.
        var random = SeededGenerator(seed: UInt64(round))
        var cpu = 0.0
        book.start = Clock.now
        for sequence in 0..<plan.pace.messages {
            let intended = book.start + plan.pace.intended(sequence)
            try wait(rooms, until: intended)
            if sequence == plan.pace.warmupMessages { cpu = ProcessTree.cpu(of: contender.pid) }
            readings.worstLateness = max(readings.worstLateness, Clock.since(intended))
            let sender = random.number(below: plan.connections)
            book.deliveries.recordSent(to: sender / plan.members)
            try rooms.send(sequence, from: sender, textBytes: plan.textBytes)
        }
        let deadline = Clock.now + UInt64(plan.drainSeconds) * 1_000_000_000
        try wait(rooms, until: deadline, or: { book.deliveries.isComplete })
        cpu = ProcessTree.cpu(of: contender.pid) - cpu
        // Time for duplicate deliveries to arrive.
        try rooms.settle(milliseconds: 200)
        readings.cpu.append(cpu * 1e6 / Double(plan.measuredMessages))
        readings.median.append(book.latency.milliseconds(50))
        readings.p99.append(book.latency.milliseconds(99))
        readings.threads = ProcessTree.threads(of: contender.pid)
        readings.problems += book.deliveries.problems.map { "round \(round + 1): \($0)" }
    }

    /// Handles input until that instant, at least once: a tester that is late must not stop reading.
    private func wait(_ rooms: RawRooms, until instant: UInt64, or isDone: () -> Bool = { false }) throws {
        var now = Clock.now
        repeat {
            try rooms.turn(nanoseconds: now < instant ? Int(min(instant - now, 100_000_000)) : 0)
            now = Clock.now
        } while now < instant && !isDone()
    }
}

/// What one server has delivered in one turn.
private final class RoomBookkeeping {
    var deliveries: RoomDeliveries
    var latency = Histogram<UInt64>.latency()
    /// When the first message was to leave.
    var start: UInt64 = 0
    private let pace: Pace

    init(_ plan: CompareRoomsPlan) {
        pace = plan.pace
        deliveries = RoomDeliveries(roomSize: plan.members, messages: plan.pace.messages)
    }

    func record(_ member: Int, _ sequence: Int) {
        deliveries.record(sequence, at: member)
        guard pace.stretch(of: sequence) != nil else { return }
        _ = latency.record(Clock.since(start + pace.intended(sequence)))
    }
}
