import TestSupport
import Testing

@testable import Replication

@Suite struct NodeBeatTests {
    private static func beat(_ random: inout SeededGenerator) -> NodeBeat {
        NodeBeat(
            node: node(String(repeating: "n", count: 1 + random.below(64)), start: random.next()),
            role: random.pick([.follower, .candidate, .writer]), term: random.number(), appliedFrame: random.number(),
            lastMessage: random.number(),
            span: random.pick([nil, .init(after: random.number(), through: random.number(), sum: random.next())]),
            syncedFrame: random.number(), clock: Int64(random.number()),
            facts: NodeBeat.Facts(
                recordVersion: UInt32(random.below(100)), version: Self.text(&random, upTo: 64),
                settingsDigest: random.bytes(random.below(65)), unicodeDigest: random.next(),
                address: Self.text(&random, upTo: 255)))
    }

    /// Without characters that are canonically equivalent to others.
    private static func text(_ random: inout SeededGenerator, upTo limit: Int) -> String {
        String((0..<random.below(limit + 1)).map { _ in random.pick(["a", "b", "."] as [Character]) })
    }

    @Test(arguments: 1...100 as ClosedRange<UInt64>) func `a beat is the same after coding`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let beat = Self.beat(&random)
        #expect(try NodeBeat(beat.encoded()) == beat)
        #expect(beat.encoded().count <= NodeBeat.sizeLimit)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>) func `cut, changed and random bytes are an error or another beat`(
        seed: UInt64
    ) {
        var random = SeededGenerator(seed: seed)
        let beat = Self.beat(&random)
        let bytes = beat.encoded()
        for index in bytes.indices {
            #expect((try? NodeBeat(Array(bytes[..<index]))) != beat, "cut to \(index) bytes")
            var changed = bytes
            changed[index] ^= UInt8(1 + random.below(255))
            #expect((try? NodeBeat(changed)) != beat, "byte \(index)")
        }
        for _ in 0..<200 { _ = try? NodeBeat(random.bytes(random.below(80))) }
    }

    @Test func `values that no node sends are refused`() {
        func error(_ change: (inout NodeBeat) -> Void) -> NodeBeatError? {
            var beat = NodeBeat(node: ann, clock: 0, facts: NodeBeat.Facts(recordVersion: 4))
            change(&beat)
            do throws(NodeBeatError) {
                _ = try NodeBeat(beat.encoded())
                return nil
            } catch {
                return error
            }
        }
        #expect(error { _ in } == nil)
        #expect(error { $0.term = 1 << 62 } == nil)
        #expect(error { $0.term = 1 << 62 + 1 } == .invalid(field: "term"))
        #expect(error { $0.appliedFrame = .max } == .invalid(field: "applied_frame"))
        #expect(error { $0.lastMessage = .max } == .invalid(field: "last_message"))
        #expect(error { $0.syncedFrame = .max } == .invalid(field: "synced_frame"))
        #expect(throws: NodeBeatError.invalid(field: "node")) { try NodeBeat([]) }
        #expect(throws: NodeBeatError.malformed) { try NodeBeat([0xFF]) }
        // An unknown field, which a later version may add: number 100, a text.
        var large = NodeBeat(node: ann, clock: 0, facts: NodeBeat.Facts(recordVersion: 4)).encoded() + [0xA2, 0x06]
        let rest = NodeBeat.sizeLimit - large.count - 2
        large += [UInt8(rest & 0x7F | 0x80), UInt8(rest >> 7)] + [UInt8](repeating: 0, count: rest)
        #expect(throws: Never.self) { try NodeBeat(large) }
        #expect(throws: NodeBeatError.malformed) { try NodeBeat(large + [0]) }
    }

    @Test func `texts and digests that are too long are cut`() {
        let facts = NodeBeat.Facts(
            recordVersion: 4, version: String(repeating: "é", count: 40),
            settingsDigest: [UInt8](repeating: 1, count: 100),
            address: "a" + String(repeating: "é", count: 200))
        #expect(facts.version == String(repeating: "é", count: 32))
        #expect(facts.settingsDigest.count == 64)
        #expect(facts.address == "a" + String(repeating: "é", count: 127))
        let beat = NodeBeat(node: ann, clock: 0, facts: facts)
        #expect((try? NodeBeat(beat.encoded())) == beat)
    }

    @Test func `a beat of too long a version, digest or address is refused`() {
        // Fields 7, 8 and 12 once more; the last one counts.
        let beat = NodeBeat(node: ann, clock: 0, facts: NodeBeat.Facts(recordVersion: 4)).encoded()
        for (tag, limit, field) in [(0x3A, 64, "version"), (0x42, 64, "settings_digest"), (0x62, 255, "address")] {
            for count in [limit, limit + 1] {
                let size = count < 128 ? [UInt8(count)] : [UInt8(count & 0x7F | 0x80), UInt8(count >> 7)]
                let bytes = beat + [UInt8(tag)] + size + [UInt8](repeating: 0x61, count: count)
                if count == limit {
                    #expect(throws: Never.self) { try NodeBeat(bytes) }
                } else {
                    #expect(throws: NodeBeatError.invalid(field: field)) { try NodeBeat(bytes) }
                }
            }
        }
    }

    @Test func `a role of a later version is read as a follower's`() throws {
        let beat = NodeBeat(node: ann, role: .writer, clock: 0, facts: NodeBeat.Facts(recordVersion: 4)).encoded()
        #expect(try NodeBeat(beat + [0x10, 0x09]).role == .follower)
    }

    @Test func `other Unicode tables give another digest`() {
        let own = UnicodeProbe.digest
        #expect(UnicodeProbe.hash(lowercasing: { $0.lowercased() }, comparing: ==) == own)
        let older = UnicodeProbe.hash(
            lowercasing: { $0 == "\u{10D50}" ? $0 : $0.lowercased() }, comparing: ==)
        #expect(older != own)
        let other = UnicodeProbe.hash(lowercasing: { $0.lowercased() }) { a, b in
            a.unicodeScalars.elementsEqual(b.unicodeScalars)
        }
        #expect(other != own)
        #expect(other != older)
    }

    @Test func `only nodes of the same version and settings announce alike`() {
        let facts = NodeBeat.Facts(recordVersion: 4, version: "1.2", settingsDigest: [1], address: "ws://ann")
        #expect(facts.announces(like: NodeBeat.Facts(recordVersion: 5, version: "1.2", settingsDigest: [1])))
        #expect(!facts.announces(like: NodeBeat.Facts(recordVersion: 4, version: "1.3", settingsDigest: [1])))
        #expect(!facts.announces(like: NodeBeat.Facts(recordVersion: 4, version: "1.2", settingsDigest: [2])))
    }
}
