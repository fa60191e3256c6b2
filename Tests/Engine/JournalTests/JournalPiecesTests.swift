import Simulation
import Testing

@testable import Journal

@Suite struct JournalPiecesTests {
    /// Copies what the pieces say, as another node does.
    private static func copy(_ pieces: JournalPieces, of disk: SimulatedDisk) throws -> SimulatedDisk {
        let copy = SimulatedDisk(seed: 9)
        for file in pieces.files {
            let bytes = try disk.read(file.name, at: 0, upTo: file.size)
            #expect(bytes.count == file.size)
            let output = try copy.create(file.name)
            try output.write(bytes, at: 0)
            try output.sync()
        }
        try copy.syncFolder()
        return copy
    }

    @Test func `the pieces of a journal that is being written are a whole journal of that moment`() throws {
        let disk = SimulatedDisk(seed: 8)
        let talk = try Talk(disk)
        try talk.talk(40)
        talk.log.rotate()
        talk.settle()
        try disk.compact()
        try talk.talk(7)
        let (pieces, parts) = (try JournalPieces(of: disk), talk.parts)
        #expect(pieces.last == 47)
        #expect(try JournalPieces.last(on: disk) == 47)
        #expect(try Set(pieces.files.map(\.name)) == Set(disk.names().filter(JournalPieces.isPiece)))
        try talk.talk(30)
        let copy = try Self.copy(pieces, of: disk)
        #expect(try JournalPieces.verify(copy, salt: 1) == 47)
        #expect(try Talk(copy).parts == parts)
    }

    @Test func `a copy that lacks a piece, or has a damaged one, is refused`() throws {
        let disk = SimulatedDisk(seed: 8)
        let talk = try Talk(disk)
        try talk.talk(40)
        let pieces = try JournalPieces(of: disk)
        #expect(pieces.files.count > 3)
        for index in pieces.files.indices.dropLast() {
            let copy = try Self.copy(pieces, of: disk)
            try copy.remove(pieces.files[index].name)
            #expect(throws: JournalError.self) { try JournalPieces.verify(copy, salt: 1) }
            let damaged = try Self.copy(pieces, of: disk)
            damaged.tamper(pieces.files[index].name) { $0[70] ^= 1 }
            #expect(throws: JournalError.self) { try JournalPieces.verify(damaged, salt: 1) }
        }
    }

    @Test func `an empty folder has no frames, and only snapshots and segments are pieces`() throws {
        let disk = SimulatedDisk(seed: 1)
        #expect(try JournalPieces.last(on: disk) == 0)
        #expect(try JournalPieces(of: disk) == JournalPieces(files: [], last: 0))
        let digits = "00000000000000000007"
        #expect(JournalPieces.isPiece(digits + ".journal") && JournalPieces.isPiece(digits + ".snapshot"))
        for name in ["spare.tmp", "snapshot.tmp", "compaction.lock", "7.journal", "../\(digits).journal", ""] {
            #expect(!JournalPieces.isPiece(name))
        }
    }
}
