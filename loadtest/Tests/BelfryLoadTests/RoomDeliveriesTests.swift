import Testing

@testable import BelfryLoad

@Suite struct RoomDeliveriesTests {
    /// Message 0 goes to room 1, message 1 to room 0; members 0 to 2 are in room 0, members 3 to 5 in room 1.
    private func deliveries(_ received: [(sequence: Int, member: Int)]) -> RoomDeliveries {
        var deliveries = RoomDeliveries(roomSize: 3, messages: 2)
        deliveries.recordSent(to: 1)
        deliveries.recordSent(to: 0)
        for (sequence, member) in received { deliveries.record(sequence, at: member) }
        return deliveries
    }

    private let good = [(0, 3), (1, 0), (0, 4), (1, 1), (0, 5), (1, 2)]

    @Test func `every delivery once is complete and has no problems, in any order`() {
        for received in [good, good.reversed()] {
            #expect(deliveries(received).isComplete)
            #expect(deliveries(received).problems == [])
        }
    }

    @Test(arguments: 0..<6)
    func `a missing delivery is found`(index: Int) {
        var received = good
        let missing = received.remove(at: index)
        #expect(!deliveries(received).isComplete)
        #expect(
            deliveries(received).problems == ["1 of 6 deliveries are missing, first message \(missing.0)"])
    }

    @Test func `a second delivery is a problem and does not hide a missing one`() {
        #expect(deliveries(good + [(1, 2)]).problems == ["1 duplicate deliveries"])
        let swapped = deliveries(good.dropLast() + [(0, 5)])
        #expect(!swapped.isComplete)
        #expect(swapped.problems.count == 2)
    }

    @Test(arguments: [(0, 0), (1, 5), (2, 0)])
    func `a delivery to another room, or of a message that was not sent, is a problem`(sequence: Int, member: Int) {
        #expect(deliveries(good + [(sequence, member)]).problems == ["1 deliveries to the wrong room"])
    }

    @Test func `the largest room has a bit for every member`() {
        var deliveries = RoomDeliveries(roomSize: 64, messages: 1)
        deliveries.recordSent(to: 0)
        for member in 0..<64 { deliveries.record(0, at: member) }
        #expect(deliveries.isComplete && deliveries.problems.isEmpty)
    }
}
