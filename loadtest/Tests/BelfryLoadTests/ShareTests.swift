import Foundation
import Histogram
import Testing

@testable import BelfryLoad

struct ShareTests {
    @Test func `clients are spread evenly over as many processes as the limit requires`() {
        let own = FileLimit.own
        #expect(ShareSplit.ranges(of: 1_000, limit: 1_000 + own, processes: nil) == [0..<1_000])
        #expect(ShareSplit.ranges(of: 1_001, limit: 1_000 + own, processes: nil) == [0..<500, 500..<1_001])
        #expect(ShareSplit.ranges(of: 10, limit: 1_000, processes: 3) == [0..<3, 3..<6, 6..<10])
        #expect(ShareSplit.ranges(of: 2, limit: 1_000, processes: 3) == [0..<1, 1..<2])
        #expect(ShareSplit.ranges(of: 30, limit: 10 + own, processes: 2).count == 3)
        #expect(ShareSplit.ranges(of: 1, limit: 0, processes: nil) == [0..<1])
    }

    @Test func `a histogram is unchanged after passing between processes`() throws {
        var histogram = Histogram<UInt64>.latency()
        for value in [1, 900, 1_500, 2_000_000, 2_000_001, 77_000_000_000] as [UInt64] { _ = histogram.record(value) }
        let sent = try JSONEncoder().encode(CountedValues(histogram))
        let received = try JSONDecoder().decode(CountedValues.self, from: sent).histogram
        #expect(received.totalCount == 6 && received.maxRecorded == histogram.maxRecorded)
        var twice = histogram
        twice.add(histogram)
        let merged = Histogram(merging: [received, histogram])
        #expect(merged.totalCount == 12)
        for percent in [0.0, 50, 90, 99, 100] {
            #expect(merged.valueAtPercentile(percent) == twice.valueAtPercentile(percent))
        }
        #expect(CountedValues(.latency()).histogram.totalCount == 0)
    }

    @Test func `problems and findings of several processes are combined`() {
        var (list, other) = (ProblemList(), ProblemList())
        for number in 0..<15 {
            list.add("a\(number)")
            other.add("b\(number)")
        }
        list.merge(other)
        #expect(list.lines.count == 20 && list.lines[14] == "a14" && list.lines[15] == "b0")
        #expect(list.lines.last == "and 11 more problems")
        var (hearing, more) = (Hearing(), Hearing())
        var problems = ProblemList()
        hearing.add("ann", Ledger.Findings(missing: 2, doubled: 1), losses: ["no ping"], to: &problems)
        more.add("ben", Ledger.Findings(missing: 3, outOfOrder: 4), losses: [], to: &problems)
        hearing.merge(more)
        #expect(hearing.missing == 5 && hearing.doubled == 1 && hearing.outOfOrder == 4 && hearing.lostConnections == 1)
        #expect(hearing.checks(delivered: 1, of: 6).map(\.passed) == [false, false, false])
        #expect(Hearing().checks(delivered: 6, of: 6).allSatisfy { $0.passed })
    }

    @Test func `lines are read from a pipe one by one, however they are split`() throws {
        let pipe = Pipe()
        let reader = LineReader(pipe.fileHandleForReading)
        try pipe.fileHandleForWriting.write(contentsOf: Data("one\ntwo\n\nthr".utf8))
        #expect(reader.next() == Data("one".utf8))
        #expect(reader.next() == Data("two".utf8))
        #expect(reader.next() == Data())
        let long = String(repeating: "x", count: 30_000)
        try pipe.fileHandleForWriting.write(contentsOf: Data("ee\n\(long)\nrest".utf8))
        try pipe.fileHandleForWriting.close()
        #expect(reader.next() == Data("three".utf8))
        #expect(reader.next()?.count == 30_000)
        #expect(reader.next() == nil)
    }
}
