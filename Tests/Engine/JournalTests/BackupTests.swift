import ChatDomain
import Simulation
import Testing

@testable import Journal

@Suite struct BackupTests {
    private static func talk(on disk: SimulatedDisk, _ frames: Int) throws -> Talk {
        let talk = try Talk(disk)
        try talk.talk(frames)
        return talk
    }

    @Test func `a backup made while the server is writing contains every acknowledged frame`() throws {
        let disk = SimulatedDisk(seed: 8)
        let talk = try Self.talk(on: disk, 40)
        talk.log.rotate()
        talk.settle()
        try disk.compact()
        try talk.talk(7)
        let copy = SimulatedDisk(seed: 9)
        #expect(try JournalBackup(of: disk, to: copy).run(salt: 1) == 47)
        let parts = talk.parts
        try talk.talk(3)
        #expect(try Talk(copy).parts == parts)
        #expect(try copy.names(".snapshot") == disk.names(".snapshot"))
        #expect(talk.frames == 50, "the original goes on")
    }

    @Test func `a backup omits a torn tail after a crash, and detects earlier damage`() throws {
        let disk = SimulatedDisk(seed: 8)
        let talk = try Self.talk(on: disk, 12)
        let last = try #require(try disk.names(".journal").last)
        let used = try #require(try disk.read(last).lastIndex { $0 != 0 })
        let torn = disk.killed()
        torn.tamper(last) { $0[used] ^= 1 }
        let copy = SimulatedDisk(seed: 9)
        #expect(try JournalBackup(of: torn, to: copy).run(salt: 1) == 11)
        let damaged = disk.killed()
        let first = try #require(try disk.names(".journal").first)
        damaged.tamper(first) { $0[60] ^= 1 }
        #expect(throws: JournalError.self) { try JournalBackup(of: damaged, to: SimulatedDisk(seed: 9)).run(salt: 1) }
        #expect(talk.frames == 12)
    }

    @Test func `a restored chat is identical, has new epochs, and can continue`() throws {
        let disk = SimulatedDisk(seed: 8)
        let talk = try Self.talk(on: disk, 30)
        talk.close()
        try disk.compact()
        let restored = SimulatedDisk(seed: 9)
        var random = SplitMix(seed: 4)
        #expect(try JournalRestoration(of: disk, to: restored).run(&random) { _ in }.sequence == 30)
        let again = try Talk(restored)
        #expect(again.frames == 30)
        #expect(again.parts != talk.parts)
        #expect(Self.withoutEpochs(again.parts) == Self.withoutEpochs(talk.parts))
        #expect(Self.epochs(again.parts).isDisjoint(with: Self.epochs(talk.parts)))
        try again.talk(2)
        again.close()
        #expect(try Talk(restored).frames == 32)
    }

    private static func epochs(_ parts: [StatePart]) -> Set<String> {
        var epochs: Set<String> = []
        for part in parts {
            switch part {
            case .users(let users): epochs.formUnion(users.map(\.user.inboxEpoch))
            case .channel(let channel): epochs.insert(channel.channel.epoch)
            default: break
            }
        }
        return epochs
    }

    private static func withoutEpochs(_ parts: [StatePart]) -> [StatePart] {
        parts.map { part in
            switch part {
            case .users(var users):
                for index in users.indices { users[index].user.inboxEpoch = "" }
                return .users(users)
            case .channel(var channel):
                channel.channel.epoch = ""
                return .channel(channel)
            default: return part
            }
        }
    }
}
