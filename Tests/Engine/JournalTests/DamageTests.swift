import Simulation
import Testing

@testable import Journal

/// Damage to a store: either everything is intact, startup is refused, or a truncation is reported.
@Suite struct DamageTests {
    /// Returns a store with two segments and 12 frames in all.
    private static func store(isClosed: Bool) throws -> SimulatedDisk {
        let disk = SimulatedDisk(seed: 5)
        let shelf = try Shelf(disk, segmentBytes: 512)
        for _ in 1...12 {
            try shelf.append()
            shelf.settle()
        }
        if isClosed { shelf.close() }
        return disk.killed()
    }

    @Test func `a tail torn at any byte is truncated and reported, with position and size`() throws {
        let names = try Self.store(isClosed: false).names()
        let last = try #require(names.last { $0.hasSuffix(".journal") })
        let whole = try Self.store(isClosed: false).read(last)
        let used = try #require(whole.lastIndex { $0 != 0 }) + 1
        var sizes: Set<Int> = []
        for size in 0..<used {
            let disk = try Self.store(isClosed: false)
            disk.tamper(last) { $0 = Array($0[..<size]) }
            do {
                let shelf = try Shelf(disk)
                let kept = try shelf.kept()
                sizes.insert(kept.count)
                if let cut = shelf.log.report.cut {
                    #expect(cut.segment == last)
                    #expect(cut.offset + cut.bytes <= size)
                    #expect(cut.bytes > 0)
                }
                #expect(shelf.log.report.wasUnclean)
            } catch {
                #expect(error as? JournalError == .damagedHeader(segment: last), "cut at \(size)")
                #expect(size < 36)
            }
        }
        #expect(sizes.contains(11))
        #expect(sizes.allSatisfy { $0 < 12 })
    }

    @Test(arguments: [true, false])
    func `no flipped byte yields a wrong state or goes undetected`(isClosed: Bool) throws {
        let names = try Self.store(isClosed: isClosed).names().filter { $0.hasSuffix(".journal") }
        #expect(names.count > 1)
        var refused = 0
        for name in names {
            let size = try Self.store(isClosed: isClosed).read(name).count
            for offset in 0..<size {
                for mask in [UInt8(0x01), 0x80, 0xFF] {
                    let disk = try Self.store(isClosed: isClosed)
                    disk.tamper(name) { $0[offset] ^= mask }
                    guard let shelf = try? Shelf(disk) else {
                        refused += 1
                        continue
                    }
                    let kept = try shelf.kept()
                    // Fewer frames only if the last one was hit and nothing shows that it was complete.
                    #expect(
                        kept.count == 12 || !isClosed && kept.count == 11 && shelf.log.report.cut != nil,
                        "\(name) at \(offset)")
                }
            }
        }
        #expect(refused > 1_000)
    }

    @Test func `a missing segment is detected`() throws {
        let disk = try Self.store(isClosed: true)
        let first = try #require(try disk.names().first { $0.hasSuffix(".journal") })
        let second = try #require(try disk.names().filter { $0.hasSuffix(".journal") }.dropFirst().first)
        try disk.remove(first)
        let error = #expect(throws: JournalError.self) { try Shelf(disk) }
        guard case .gap(second, expected: 1, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `a segment written by a newer version is refused with an explanation`() throws {
        let disk = SimulatedDisk(seed: 1)
        let shelf = try Shelf(disk)
        try shelf.append()
        shelf.close()
        let name = try #require(try disk.names().first)
        // The segment is as a newer server would write it, with a correct checksum.
        disk.tamper(name) { bytes in
            bytes = FileHeader(.segment, contentVersion: 9, salt: 1, number: 1).encoded() + bytes[36...]
        }
        let error = #expect(throws: JournalError.self) { try Shelf(disk) }
        #expect(error == .unknownVersion(segment: name, version: 9))
        #expect("\(try #require(error))".contains("newer server"))
    }

    @Test func `the pages of an unfinished write can reach the disk in any order`() throws {
        // 30 frames in one batch of many pages, none of them yet synced.
        for seed in UInt64(1)...200 {
            let disk = SimulatedDisk(seed: seed)
            let shelf = try Shelf(disk, segmentBytes: 65_536)
            try shelf.append()
            shelf.settle()
            disk.fail(disk.operations + 2)
            shelf.queue.suspend()
            for _ in 1...30 { try shelf.append() }
            shelf.queue.resume()
            shelf.settle()
            #expect(shelf.acknowledged == [1])
            #expect(try Shelf(disk.crashed()).kept().first == 1, "seed \(seed)")
        }
    }
}
