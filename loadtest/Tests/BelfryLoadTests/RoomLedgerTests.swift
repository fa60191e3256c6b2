import Testing

@testable import BelfryLoad

struct RoomLedgerTests {
    /// Three messages, acknowledged at these offsets; two earlier join events have the offsets 1 and 2.
    private let acknowledged: [UInt64: Int] = [3: 10, 4: 11, 6: 12]
    private let good: [(UInt64, Int)] = [(2, -1), (3, 10), (4, 11), (5, -1), (6, 12)]

    private func findings(_ heard: [(UInt64, Int)]) -> Ledger.Findings {
        let ledger = RoomLedger()
        for (offset, sequence) in heard { ledger.record(.init(offset: offset, sequence: sequence, kind: .message)) }
        return ledger.findings(acknowledged: acknowledged)
    }

    @Test func `receiving everything once, in order, passes without problems`() {
        #expect(findings(good).isClean)
        #expect(findings([(0, -1)] + good + [(0, -1)]).isClean)
    }

    @Test func `a missing message is found, even at the end`() {
        #expect(findings(Array(good.dropLast())).missing == 1)
        #expect(findings(Array(good.dropLast())).firstMissing == 12)
        let hole = findings(good.filter { $0.1 != 11 })
        #expect(hole.missing == 1 && hole.outOfOrder == 1)
        #expect(findings([]).missing == 3)
    }

    @Test func `a duplicate message is found, at the same offset or another`() {
        #expect(findings(good + [(6, 12)]).doubled == 1)
        #expect(findings(good + [(7, 12)]).doubled == 1)
    }

    @Test func `out-of-order messages are detected`() {
        let swapped = findings([(2, -1), (4, 11), (3, 10), (5, -1), (6, 12)])
        #expect(swapped.outOfOrder == 2)
        #expect(swapped.firstOutOfOrder == .init(expected: 3, received: 4))
    }

    @Test func `a message received at another offset than acknowledged is missing at its own`() {
        #expect(findings([(2, -1), (3, 11), (4, 10), (5, -1), (6, 12)]).missing == 2)
    }

    @Test func `events are counted by kind`() {
        let ledger = RoomLedger()
        ledger.record(.init(offset: 1, sequence: 0, kind: .message))
        ledger.record(.init(offset: 2, sequence: -1, kind: .reaction))
        ledger.record(.init(offset: 3, sequence: 1, kind: .message))
        #expect(ledger.count(of: .message) == 2 && ledger.count(of: .reaction) == 1 && ledger.count(of: .reply) == 0)
    }
}

struct StormTests {
    @Test func `percentiles cover all clients that reconnected, and the others are reported missing`() {
        var times = StormTimes()
        let seconds = Array(1...100 as ClosedRange<UInt64>)
        times.add(connected: seconds + [5], recovered: seconds.prefix(40).map { $0 * 1_000_000_000 })
        // Times from another process.
        times.add(connected: [], recovered: seconds.dropFirst(40).map { $0 * 1_000_000_000 })
        #expect(times.connectedCount == 101 && times.recoveredCount == 100)
        for percent in [50.0, 90, 99, 100] {
            #expect(abs(times.recovered.milliseconds(percent) / 1_000 - percent) < percent / 500)
        }
    }

    @Test(arguments: [0, 1, 199, 200, 201, 1_000, 15_000])
    func `the series ends with all clients and has few points`(count: Int) {
        var times = StormTimes()
        times.add(connected: [], recovered: (0..<count).map { UInt64(count - $0) })
        let points = times.series.points
        #expect(points.count <= 202)
        #expect(points.last?.y == Double(count))
        #expect(zip(points, points.dropFirst()).allSatisfy { $0.x <= $1.x && $0.y < $1.y })
    }

    @Test func `a client with a reported gap, or that did not reconnect, is recognized`() {
        let back = ClientReturn()
        #expect(back.connected == nil && back.recovered == nil)
        back.recordConnected(after: 5, recovered: true)
        back.recordConnected(after: 9, recovered: false)
        back.recordRecovered(after: 7)
        back.recordRecovered(after: 8)
        #expect(back.connected == 5 && back.recovered == 7 && back.refusals == 1)
    }
}

struct FootprintTests {
    private let before = Footprint(memory: 100_000_000, descriptors: 20)

    @Test func `released memory is no leak, and neither is a small amount kept by the allocator`() {
        #expect(before.leaks(since: before, visits: 1_000).isEmpty)
        #expect(Footprint(memory: 110_000_000, descriptors: 22).leaks(since: before, visits: 1_000).isEmpty)
        #expect(Footprint(memory: nil, descriptors: nil).leaks(since: before, visits: 1_000).isEmpty)
    }

    @Test func `a kilobyte per visit is a leak, and so is one descriptor per hundred visits`() {
        let visits = 50_000
        let memory = Footprint(memory: 100_000_000 + 1_024 * visits, descriptors: 20)
        #expect(memory.leaks(since: before, visits: visits).count == 1)
        let descriptors = Footprint(memory: 100_000_000, descriptors: 20 + visits / 100)
        #expect(descriptors.leaks(since: before, visits: visits).count == 1)
    }
}
