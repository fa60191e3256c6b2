import ChatModel
import Foundation
import TestSupport
import Testing

@Suite struct MessageIDTests {
    @Test func `the example in RFC 9562 appendix A.6 is reproduced`() {
        let id = MessageID(milliseconds: 0x017F_22E2_79B0, random: (0xCC3, 0x18C4_DC0C_0C07_398F))
        #expect(id.description == "017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
    }

    @Test(
        arguments: [
            (0, "00000000-0000-7000-8000-000000000000"), ((1 << 48) - 1, "ffffffff-ffff-7000-8000-000000000000"),
            (1 << 48, "00000000-0000-7000-8000-000000000000"), (-1, "ffffffff-ffff-7000-8000-000000000000"),
            (.min, "00000000-0000-7000-8000-000000000000"), (.max, "ffffffff-ffff-7000-8000-000000000000"),
        ] as [(Int64, String)])
    func `any time is encoded by its lowest 48 bits`(milliseconds: Int64, text: String) {
        #expect(MessageID(milliseconds: milliseconds, random: (0, 0)).description == text)
    }

    @Test func `version and variant are set for any random bits`() {
        let id = MessageID(milliseconds: 0, random: (.max, .max))
        #expect(id.description == "00000000-0000-7fff-bfff-ffffffffffff")
    }

    @Test(arguments: [
        "", "017f22e2-79b0-7cc3-98c4-dc0c0c07398", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f0",
        "017f22e279b07cc398c4dc0c0c07398f", "017f22e27-9b0-7cc3-98c4-dc0c0c07398f",
        "{17f22e2-79b0-7cc3-98c4-dc0c0c07398}", "017f22e2-79b0-7cc3-98c4-dc0c0c07398g",
        "017f22e2-79b0-7cc3-98c4_dc0c0c07398f", "+17f22e2-79b0-7cc3-98c4-dc0c0c07398f",
        "017f22e2-79b0-7cc3-98c4-dc0c0c0739\u{E9}", " 17f22e2-79b0-7cc3-98c4-dc0c0c07398f",
    ])
    func `only the canonical form is accepted`(text: String) {
        #expect(MessageID(text) == nil)
    }

    @Test func `capital letters are accepted and written in lower case`() {
        let text = "017F22E2-79B0-7CC3-98C4-DC0C0C07398F"
        #expect(MessageID(text)?.description == text.lowercased())
    }

    @Test(arguments: [9, 99] as [UInt64])
    func `any id parses from its text, sorts like it, and parses identically in Foundation`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var previous = MessageID(high: 0, low: 0)
        for _ in 0..<2_000 {
            let id = MessageID(high: random.next(), low: random.next())
            #expect(MessageID(id.description) == id, "seed \(seed)")
            #expect(UUID(uuidString: id.description)?.uuidString.lowercased() == id.description, "seed \(seed)")
            #expect((previous < id) == (previous.description < id.description), "seed \(seed)")
            let decoded = try JSONDecoder().decode([MessageID].self, from: JSONEncoder().encode([id]))
            #expect(decoded == [id], "seed \(seed)")
            previous = id
        }
    }

    @Test(arguments: [5] as [UInt64])
    func `a later id is greater`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for milliseconds in [0, 1, 1_780_000_000_000, (1 << 47) - 1, (1 << 48) - 2] as [Int64] {
            let earlier = MessageID(milliseconds: milliseconds, random: (random.next(), random.next()))
            let later = MessageID(milliseconds: milliseconds + 1, random: (random.next(), random.next()))
            #expect(earlier < later, "seed \(seed)")
        }
    }
}

@Suite struct MessageIDSuccessorTests {
    @Test(
        arguments: [
            ("01a1fd12-0f62-7800-a0b2-5e9e17e6cd16", "01a1fd12-0f62-7800-a0b2-5e9e17e6cd17"),
            ("01a1fd12-0f62-7800-bfff-ffffffffffff", "01a1fd12-0f62-7801-8000-000000000000"),
            ("01a1fd12-0f62-7fff-bfff-ffffffffffff", "01a1fd12-0f63-7000-8000-000000000000"),
        ])
    func `the next id is greater and still a UUIDv7`(id: String, next: String) throws {
        let id = try #require(MessageID(id))
        #expect(id.successor.description == next)
        #expect(id < id.successor)
    }
}
