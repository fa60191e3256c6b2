import BelfryClient
import Foundation
import Histogram
import Synchronization

/// A scenario with thousands of small rooms, some busier than others: connects everyone, sends on schedule, and checks
/// what each member of each room received.
struct RoomsRun {
    let plan: RoomsPlan
    let crowd: Crowd
    let server: ServerProcesses

    func run() async throws -> RoomsResult {
        let tallies = try Crowd.loops(plan.loops).map { LoopTally($0, stretches: plan.pace.stretchCount) }
        let marker = MessageText.marker(run: plan.run)
        let people = try RoomCrowd(
            run: plan.run, seating: plan.seating, crowd: crowd, tallies: tallies, pace: plan.pace
        ) { json in
            MessageText(in: json, marker: marker).map {
                RoomCrowd.Sighting(kind: .message, message: ($0.sequence, $0.intended))
            } ?? RoomCrowd.Sighting(kind: .other)
        }
        let setupStart = Clock.now
        try await people.gather(crowd)
        var result = RoomsResult(plan: plan, setupSeconds: Double(Clock.now - setupStart) / 1e9)
        let book = RoomBook(rooms: plan.seating.rooms)
        let sends = SendTally()
        try await measure(people, book, sends, tallies, &result)
        result.serverMemory = server.memory?.peak
        crowd.progress.show("checking")
        await people.stop()
        result.conclude(people, book, sends, tallies, nodes: crowd.urls.count)
        return result
    }

    private func measure(
        _ people: RoomCrowd, _ book: RoomBook, _ sends: SendTally, _ tallies: [LoopTally],
        _ result: inout RoomsResult
    ) async throws {
        let (pace, group) = (plan.pace, DispatchGroupBox())
        // Allow time for the join events to arrive everywhere.
        let start = Clock.now + 500_000_000
        group.detach { [plan] in
            var random = SeededGenerator(seed: plan.seed)
            let zipf = Zipf(count: plan.seating.rooms, exponent: plan.zipfExponent)
            pace.run(0..<pace.messages, from: start) { sequence, intended, late in
                sends.recordSent(late: late)
                let room = zipf.next(&random)
                let users = plan.seating.members[room]
                let sender = people.members[users[random.number(below: users.count)]]
                send(sequence, intended, to: people.rooms[room], room, by: sender.client, book, sends, group)
            }
        }
        let warm = start + UInt64(pace.warmupSeconds) * 1_000_000_000
        await crowd.progress.count(until: warm, of: pace.messages, sends) { tallies.delivered }
        let (before, deliveredBefore) = (Sample(server: server), tallies.delivered)
        await crowd.progress.count(
            until: warm + UInt64(pace.seconds) * 1_000_000_000, of: pace.messages, sends
        ) { tallies.delivered }
        let deadline = Clock.now + UInt64(plan.drainSeconds) * 1_000_000_000
        while tallies.delivered < plan.deliveries, Clock.now < deadline {
            try await Task.sleep(for: .milliseconds(10))
        }
        result.usage = Usage(from: before, to: Sample(server: server))
        result.sampledDeliveries = tallies.delivered - deliveredBefore
        // Allow time for duplicate deliveries to arrive.
        try await Task.sleep(for: .milliseconds(300))
        result.allAnswered = await group.wait(seconds: 35)
    }

    private func send(
        _ sequence: Int, _ intended: UInt64, to channel: ChannelID, _ room: Int, by client: BelfryClient,
        _ book: RoomBook, _ sends: SendTally, _ group: DispatchGroupBox
    ) {
        let text = MessageText(sequence: sequence, intended: intended).encoded(run: plan.run, bytes: plan.textBytes)
        let clientID = "\(plan.run)-\(sequence)"
        let isMeasured = plan.pace.stretch(of: sequence) != nil
        group.enter()
        client.rpc(method: SendMessage.method, data: MessageText.command(text, in: channel, clientID: clientID)) {
            switch $0 {
            case .success(let json):
                if let place = Acknowledgement(in: json), place.clientID == clientID {
                    book.record(sequence, at: place.offset, in: room)
                    sends.recordAcknowledgement(after: Clock.since(intended), isMeasured: isMeasured)
                } else {
                    sends.recordFailure(sequence, "the reply does not match the request")
                }
            case .failure(let error): sends.recordFailure(sequence, "\(error)")
            }
            group.leave()
        }
    }
}

/// The acknowledged offsets of the messages in each room.
final class RoomBook: Sendable {
    private let state: Mutex<[[UInt64: Int]]>

    init(rooms: Int) { state = Mutex(Array(repeating: [:], count: rooms)) }

    func record(_ sequence: Int, at offset: UInt64, in room: Int) {
        state.withLock { $0[room][offset] = sequence }
    }

    /// The numbers of each room's messages, by offset.
    var places: [[UInt64: Int]] { state.withLock { $0 } }
}
