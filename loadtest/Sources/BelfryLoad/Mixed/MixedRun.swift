import BelfryClient
import Foundation
import Histogram
import Synchronization

/// The parameters of a mixed run.
struct MixedPlan: Sendable {
    /// Distinguishes the users, channels and messages of this run from those of others on the same server.
    let run: String
    var seating: Seating
    var roomsPerUser: Int
    var roomSize: Int
    var shares: Shares
    var zipfExponent: Double
    var seed: UInt64
    /// The pace, whose messages are operations of all kinds.
    var pace: Pace
    var textBytes: Int
    var loops: Int
    /// Seconds to wait for the last deliveries.
    var drainSeconds: Int

    /// - Throws: `LoadError` when the ledgers would need too much memory.
    func check() throws {
        guard pace.messages * roomSize <= 50_000_000 else {
            throw LoadError("there are too many operations to track: reduce the seconds or the rate")
        }
    }
}

/// A scenario in which members of small rooms send, reply, react, read and type: connects everyone, performs the
/// activities, and checks what everyone received and what the server reports at the end.
struct MixedRun {
    let plan: MixedPlan
    let crowd: Crowd
    let server: ServerProcesses

    func run() async throws -> MixedResult {
        let tallies = try Crowd.loops(plan.loops).map { LoopTally($0, stretches: plan.pace.stretchCount) }
        let (tally, events, pace) = (MixedTally(rooms: plan.seating.rooms), MixedEvents(run: plan.run), plan.pace)
        let people = try RoomCrowd(
            run: plan.run, seating: plan.seating, crowd: crowd, tallies: tallies, pace: pace
        ) { json in
            let kind = events.kind(of: json)
            guard kind == .message || kind == .reply, let sequence = events.sequence(in: json) else {
                return RoomCrowd.Sighting(kind: kind)
            }
            let intended = tally.start.load(ordering: .relaxed) + pace.intended(sequence)
            return RoomCrowd.Sighting(kind: kind, message: (sequence, intended))
        }
        let setupStart = Clock.now
        try await people.gather(crowd)
        var result = MixedResult(plan: plan, setupSeconds: Double(Clock.now - setupStart) / 1e9)
        try await measure(people, tally, tallies, &result)
        result.serverMemory = server.memory?.peak
        try await MixedInquiry(people: people, crowd: crowd).verify(tally.state.withLock(\.book), &result)
        crowd.progress.show("checking")
        await people.stop()
        result.conclude(people, tally, tallies)
        return result
    }

    private func measure(
        _ people: RoomCrowd, _ tally: MixedTally, _ tallies: [LoopTally], _ result: inout MixedResult
    ) async throws {
        let (pace, group) = (plan.pace, DispatchGroupBox())
        // Allow time for the join events to arrive everywhere.
        let start = Clock.now + 500_000_000
        tally.start.store(start, ordering: .relaxed)
        let actors = MixedActors(plan: plan, people: people, tally: tally, group: group)
        group.detach { [plan] in
            var random = SeededGenerator(seed: plan.seed)
            let zipf = Zipf(count: plan.seating.rooms, exponent: plan.zipfExponent)
            pace.run(0..<pace.messages, from: start) { sequence, intended, late in
                tally.sends.recordSent(late: late)
                actors.act(sequence, intended, in: zipf.next(&random), &random)
            }
        }
        let warm = start + UInt64(pace.warmupSeconds) * 1_000_000_000
        await crowd.progress.count(until: warm, of: pace.messages, tally.sends) { tallies.delivered }
        let before = Sample(server: server)
        await crowd.progress.count(
            until: warm + UInt64(pace.seconds) * 1_000_000_000, of: pace.messages, tally.sends
        ) { tallies.delivered }
        result.allAnswered = await group.wait(seconds: 35)
        result.usage = Usage(from: before, to: Sample(server: server))
        let texts = tally.state.withLock { $0.book.rooms.reduce(0) { $0 + $1.messages + $1.replies } }
        let deadline = Clock.now + UInt64(plan.drainSeconds) * 1_000_000_000
        while tallies.delivered < texts * plan.roomSize, Clock.now < deadline {
            try await Task.sleep(for: .milliseconds(10))
        }
        // Allow time for duplicate deliveries to arrive.
        try await Task.sleep(for: .milliseconds(300))
    }
}
