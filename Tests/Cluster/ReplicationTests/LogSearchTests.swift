import TestSupport
import Testing

@testable import Replication

@Suite struct LogSearchTests {
    /// - Returns: The number of the message to begin with, and how many were read.
    private func find(after lastFrame: UInt64, in log: WrittenLog, first: UInt64 = 1) throws -> (UInt64, reads: Int) {
        var search = LogSearch(after: lastFrame, in: LogBounds(first: first, last: UInt64(log.entries.count)))
        var reads = 0
        while case .read(let number) = search.next {
            reads += 1
            let message = try LogMessage(log.entries[Int(number) - 1].message)
            search.receive(firstFrame: message.firstFrame, of: number)
        }
        guard case .found(let number) = search.next else { return (0, reads) }
        return (number, reads)
    }

    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func `a node that begins where the search says reads everything after its last frame`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let log = LogReaderTests.makeLog(&random)
        guard let last = log.committed.last?.number else { return }
        let lastFrame = UInt64(random.below(Int(last) + 1))
        let (number, reads) = try find(after: lastFrame, in: log)
        #expect(reads <= 1 + Int.bitWidth - log.entries.count.leadingZeroBitCount)
        var reader = LogReader(cluster: cluster, next: number, lastFrame: lastFrame)
        let frames = try log.entries[Int(number - 1)...].flatMap { try reader.receive($0) }.compactMap(\.frame)
        #expect(
            frames.filter(\.frame.isNumbered)
                == log.committed.filter { $0.frame.isNumbered && $0.number > lastFrame })
        #expect(reader.end == log.end)
    }

    @Test func `the search begins near the node's last frame, not at the oldest message`() throws {
        var log = WrittenLog()
        for serial in 1...100 as ClosedRange<UInt64> { log.append([frame(serial, [UInt8](repeating: 1, count: 900))]) }
        let (number, _) = try find(after: 90, in: log)
        #expect(try LogMessage(log.entries[Int(number) - 1].message).firstFrame <= 90)
        #expect(try LogMessage(log.entries[Int(number)].message).firstFrame > 90)
    }

    @Test func `in an empty log and in one that lost its beginning, it begins with the oldest message`() throws {
        var empty = LogSearch(after: 7, in: LogBounds(first: 5, last: 4))
        #expect(empty.next == .found(number: 5))
        empty.receive(firstFrame: 1, of: 5)
        #expect(empty.next == .found(number: 5))
        var log = WrittenLog()
        for serial in 1...20 as ClosedRange<UInt64> { log.append([frame(serial)]) }
        #expect(try find(after: 0, in: log, first: 9).0 == 9)
    }
}
