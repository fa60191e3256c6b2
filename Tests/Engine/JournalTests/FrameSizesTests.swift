import Simulation
import Testing

@testable import Journal

/// Issue 20, N42: large frames made startup slow and filled the disk, because only their number was limited.
@Suite struct FrameSizesTests {
    private func first(_ sizes: FrameSizes, ofLast bytes: Int, before next: UInt64) -> UInt64 {
        var bytes = bytes
        return sizes.first(ofLast: &bytes, before: next).frame
    }

    @Test func `the last frames that fit into a byte limit are counted to within 64 KiB`() {
        var sizes = FrameSizes()
        for number in 1...100 as ClosedRange<UInt64> { sizes.add(number, bytes: 65_536) }
        #expect(first(sizes, ofLast: 0, before: 101) == 101)
        #expect(first(sizes, ofLast: 65_535, before: 101) == 101)
        #expect(first(sizes, ofLast: 65_536, before: 101) == 100)
        #expect(first(sizes, ofLast: 10 * 65_536 + 1, before: 101) == 91)
        #expect(first(sizes, ofLast: .max, before: 101) == 1)
    }

    @Test func `small frames are counted together`() {
        var sizes = FrameSizes()
        for number in 1...1_000 as ClosedRange<UInt64> { sizes.add(number, bytes: 1_000) }
        let found = first(sizes, ofLast: 200_000, before: 1_001)
        #expect(found > 1_000 - 200 && found < 1_000 - 130, "at most 200 frames, and 65 fewer at worst")
    }

    @Test func `a segment without frames fits any byte budget`() {
        var bytes = 5
        let found = FrameSizes().first(ofLast: &bytes, before: 7)
        #expect(found.frame == 7 && found.isWhole && bytes == 5)
    }

    @Test(arguments: [0, 300, 1_500, 4_000, 1_000_000])
    func `startup and snapshots skip frames beyond a limit in bytes`(limit: Int) throws {
        let disk = SimulatedDisk(seed: 8)
        let talk = try Talk(disk)
        try talk.talk(80)
        talk.close()
        let report = try JournalRecovery.inspect(disk)
        let first = report.first(ofLast: limit, from: 1, sizes: \.sizes)
        let kept = report.segments.filter { $0.first >= first }.reduce(0) { $0 + $1.bytes - FileHeader.size }
        #expect(kept <= limit)
        // The remaining bytes are too few for one more segment.
        #expect(first == 1 || kept > limit - 1_024)
        #expect(report.first(ofLast: limit, from: 70, sizes: \.sizes) == max(first, 70))
        let result = try Compaction(disk, keeping: 80, bytes: limit, salt: 9).run()
        #expect(result?.sequence == (first > 1 ? first - 1 : nil))
        #expect(try Talk(disk).frames == 80)
    }

    /// Regression: while a webhook lagged, each attempt at a snapshot read up to 2 GiB of the journal only to find
    /// nothing to do.
    @Test func `a journal retained for a slow reader is not read again by each compaction`() throws {
        let disk = SimulatedDisk(seed: 8)
        let first = try Talk(disk)
        try first.talk(200)
        first.close()
        let sizes = SegmentSizes()
        func operations(_ sizes: SegmentSizes) throws -> Int {
            let before = disk.operations
            let compaction = Compaction(disk, keeping: 5, through: 0, limitBytes: 1_000_000, salt: 9, sizes: sizes)
            #expect(try compaction.run() == nil)
            return disk.operations - before
        }
        let segments = try disk.names(".journal").count
        #expect(segments > 10)
        #expect(try operations(sizes) >= segments)
        #expect(try operations(sizes) <= 2, "the folder and its last segment")
        #expect(try operations(SegmentSizes(JournalRecovery.inspect(disk))) <= 2, "a start has read them")
        let fresh = try Compaction(disk, keeping: 5, through: 0, limitBytes: 5_000, salt: 9).run()
        let before = try #require(fresh).sequence
        let talk = try Talk(disk)
        try talk.talk(20)
        talk.close()
        let next = try Compaction(disk, keeping: 5, through: 0, limitBytes: 5_000, salt: 9, sizes: sizes).run()
        let report = try JournalRecovery.inspect(disk)
        let left = report.segments.filter { $0.first > next?.sequence ?? 0 }
        #expect(try #require(next).sequence > before)
        #expect(left.reduce(0) { $0 + $1.bytes - FileHeader.size } <= 5_000)
    }
}
