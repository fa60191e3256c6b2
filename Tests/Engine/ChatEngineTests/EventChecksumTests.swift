import ChatDomain
import ChatModel
import Testing

@testable import ChatEngine

/// The sums by which nodes notice that they announced different events.
@Suite struct EventChecksumTests {
    private func recorded(_ values: [UInt64], after first: UInt64 = 0) -> EventChecksums {
        let sums = EventChecksums(after: first)
        sums.record(values.enumerated().map { (first + 1 + UInt64($0), $1) })
        return sums
    }

    @Test func `a sum covers the frames after its first number through its last one`() {
        let sums = recorded([1, 10, 100, 1_000])
        #expect(sums.sum(after: 1, through: 3) == 110)
        #expect(sums.sum(after: 0, through: 4) == 1_111)
        #expect(sums.sum(after: 2, through: 2) == 0)
        #expect((sums.firstFrame, sums.lastFrame) == (0, 4))
    }

    @Test func `nobody knows the sum over frames that were not recorded`() {
        let sums = recorded([1, 10], after: 7)
        #expect(sums.sum(after: 6, through: 8) == nil)
        #expect(sums.sum(after: 8, through: 10) == nil)
        #expect(sums.sum(after: 9, through: 8) == nil)
        #expect(sums.sum(after: 7, through: 9) == 11)
    }

    @Test func `only the last frames are remembered, and later sums stay right`() {
        let count = UInt64(EventChecksums.capacity + 10)
        let sums = recorded([UInt64](repeating: 1, count: Int(count)))
        #expect((sums.firstFrame, sums.lastFrame) == (11, count))
        #expect(sums.sum(after: 10, through: count) == nil)
        #expect(sums.sum(after: 11, through: count) == count - 11)
    }

    @Test func `frames that come again change nothing, and after a gap the sums begin anew`() {
        let sums = recorded([1, 10])
        sums.record([(2, 5), (3, 100)])
        #expect(sums.sum(after: 0, through: 3) == 111)
        sums.record([(9, 7), (10, 8)])
        #expect(sums.sum(after: 8, through: 10) == 15)
        #expect(sums.sum(after: 3, through: 10) == nil)
    }

    @Test func `a checksum depends on the bytes, the frame and the place`() {
        let bytes = Array("an event".utf8)
        let sums = [
            EventChecksums.checksum(of: bytes, frame: 5, index: 0),
            EventChecksums.checksum(of: bytes, frame: 6, index: 0),
            EventChecksums.checksum(of: bytes, frame: 5, index: 1),
            EventChecksums.checksum(of: bytes + [0], frame: 5, index: 0),
        ]
        #expect(Set(sums).count == 4)
        #expect(sums[0] == EventChecksums.checksum(of: bytes, frame: 5, index: 0))
        // Fixed: nodes of two versions compare them.
        #expect(sums[0] == 14_891_889_888_679_832_259)
    }

    @Test func `two nodes that announce the same events have the same sums`() {
        let scene = FollowerScene()
        let port = RecordedPort()
        scene.writer.engine.join(port)
        scene.writer.engine.lead(term: 1)
        scene.writer.settle()
        for text in ["one", "two"] { scene.log(SendMessage(channelID: general, text: text), as: .user(ann)) }
        _ = scene.synced()
        let last = scene.lastFrame
        #expect(port.checksums.lastFrame == last)
        #expect(scene.port.checksums.lastFrame == last)
        let sum = port.checksums.sum(after: last - 2, through: last)
        #expect(sum != nil && sum != 0)
        #expect(sum == scene.port.checksums.sum(after: last - 2, through: last))
    }

    @Test func `a different event gives a different sum`() {
        let sums = ["one", "two"].map { text in
            let (bench, port) = (Bench(), RecordedPort())
            bench.engine.join(port)
            bench.engine.lead(term: 1)
            bench.change(CreateChannel(id: general), as: ann)
            bench.change(SendMessage(channelID: general, text: text), as: ann)
            bench.log.sync()
            return port.checksums.sum(after: 0, through: port.checksums.lastFrame)
        }
        #expect(sums[0] != nil)
        #expect(sums[0] != sums[1])
    }
}
