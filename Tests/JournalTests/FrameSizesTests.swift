import Simulation
import Testing

@testable import Journal

/// Issue 20, N42: large frames made starts slow and filled the disk, for only their number was bounded.
@Suite struct FrameSizesTests {
    private func first(_ sizes: FrameSizes, ofLast bytes: Int, before next: UInt64) -> UInt64 {
        var bytes = bytes
        return sizes.first(ofLast: &bytes, before: next).frame
    }

    @Test func `as many frames at the end as fit, to within 64 KiB`() {
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

    @Test func `a segment without frames fits`() {
        var bytes = 5
        let found = FrameSizes().first(ofLast: &bytes, before: 7)
        #expect(found.frame == 7 && found.isWhole && bytes == 5)
    }

    @Test(arguments: [0, 300, 1_500, 4_000, 1_000_000])
    func `a start and a snapshot leave out what is more than so many bytes of frames`(limit: Int) throws {
        let disk = SimulatedDisk(seed: 8)
        let talk = try Talk(disk)
        try talk.talk(80)
        talk.close()
        let report = try JournalRecovery.inspect(disk)
        let first = report.first(ofLast: limit, from: 1, sizes: \.sizes)
        let kept = report.segments.filter { $0.first >= first }.reduce(0) { $0 + $1.bytes - FileHeader.size }
        #expect(kept <= limit)
        // What is left over has no room for one segment more.
        #expect(first == 1 || kept > limit - 1_024)
        #expect(report.first(ofLast: limit, from: 70, sizes: \.sizes) == max(first, 70))
        let result = try Compaction(disk, keeping: 80, bytes: limit, salt: 9).run()
        #expect(result?.sequence == (first > 1 ? first - 1 : nil))
        #expect(try Talk(disk).frames == 80)
    }
}
