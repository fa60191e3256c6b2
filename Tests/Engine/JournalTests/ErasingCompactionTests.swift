import ChatDomain
import Simulation
import Testing

@testable import Journal

/// A snapshot that replaces everything before it (`PR1`).
@Suite struct ErasingCompactionTests {
    private func erase(_ disk: any Disk, through frame: UInt64, limit: UInt64 = .max) throws -> Compaction.Result? {
        try Compaction(disk, keeping: 0, through: limit, salt: 9).erase(through: frame)
    }

    /// Returns a running store, whose frames so far are in closed segments.
    private func running(_ disk: SimulatedDisk, frames: Int = 40) throws -> Talk {
        let talk = try Talk(disk)
        try talk.talk(frames)
        talk.log.rotate()
        talk.settle()
        return talk
    }

    @Test func `PR1: nothing but one snapshot and the open segment is left, and the chat is whole`() throws {
        let disk = SimulatedDisk(seed: 8)
        let talk = try running(disk)
        try disk.compact()
        let result = try #require(try erase(disk, through: 40))
        #expect(result.sequence == 40 && result.removed.count > 2)
        #expect(try disk.names(".snapshot") == [FileName.snapshot.name(40)])
        #expect(try disk.names(".journal") == [FileName.segment.name(41)])
        try talk.talk(5)
        talk.close()
        let whole = SimulatedDisk(seed: 9)
        let other = try Talk(whole)
        try other.talk(45)
        #expect(try Talk(disk).parts == other.parts)
    }

    @Test func `PR1: a snapshot that exists already replaces the rest`() throws {
        let disk = SimulatedDisk(seed: 8)
        let talk = try running(disk)
        #expect(try disk.compact(keeping: 0)?.sequence == 40)
        let result = try #require(try erase(disk, through: 40))
        #expect(result.sequence == 40 && result.bytes == 0 && !result.removed.isEmpty)
        #expect(try disk.names(".journal") == [FileName.segment.name(41)])
        talk.close()
    }

    @Test func `PR1: frames that are not closed, or that a reader needs, are waited for`() throws {
        let disk = SimulatedDisk(seed: 8)
        let talk = try running(disk)
        try talk.talk(3)
        let names = try disk.names()
        #expect(try erase(disk, through: 43) == nil)
        #expect(try erase(disk, through: 40, limit: 39) == nil)
        #expect(try disk.names() == names)
        #expect(try erase(disk, through: 40, limit: 40)?.sequence == 40)
        talk.close()
    }

    @Test func `PR1: the last segment of a store that nobody writes stays, as it tells where the journal ends`() throws
    {
        let disk = SimulatedDisk(seed: 8)
        let talk = try Talk(disk)
        try talk.talk(40)
        talk.close()
        let names = try disk.names()
        #expect(try erase(disk, through: 40) == nil)
        #expect(try disk.names() == names)
    }
}
