import ChatModel
import TestSupport
import Testing

@testable import ChatDomain

@Suite struct MetadataTests {
    private static let pieces = ["a", "e", "\u{301}", "\u{316}", "\u{E9}", "K", "\u{212A}", ";", "\u{37E}"]

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `CH12: a key matches every canonically equivalent spelling, and no other`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        func key() -> String {
            (0..<Int.random(in: 1...3, using: &random)).map { _ in random.pick(Self.pieces) }.joined()
        }
        for _ in 0..<50 {
            var expected: [String: String] = [:]
            var metadata = Metadata(expected)
            for number in 0..<12 {
                if random.chance(percent: 30) {
                    let keys = [key(), key()]
                    for key in keys { expected[key] = nil }
                    metadata.delete(keys)
                } else {
                    let new = [key(): "\(number)"]
                    expected.merge(new) { $1 }
                    metadata.set(new)
                }
                let asked = key()
                #expect(metadata.values == expected)
                #expect(metadata[MetadataKey(asked)] == expected[asked], "seed \(seed): \(asked.unicodeScalars)")
                #expect(Metadata(expected)[MetadataKey(asked)] == expected[asked], "seed \(seed)")
            }
        }
    }

    @Test func `CH13: channels are sorted by a key in either spelling`() throws {
        var chat = Chat()
        for (id, key) in [("one", "caf\u{E9}"), ("two", "cafe\u{301}"), ("three", "cafe")] {
            let create = CreateChannel(id: ChannelID(id), isPublic: true, metadata: [key: id])
            try chat.run(create, as: .user(ann))
        }
        for key in ["caf\u{E9}", "cafe\u{301}"] {
            let all = ListPublicChannels(order: .metadataValue, metadataKey: key, includeEmpty: true)
            #expect(try chat.ask(all, as: .user(bob)).channels.map(\.id) == ["one", "two", "three"])
            var own = ListChannels(order: .metadataValue)
            (own.metadataKey, own.includeEmpty) = (key, true)
            #expect(try chat.ask(own, as: .user(ann)).channels.map(\.id) == ["one", "two", "three"])
        }
    }

    @Test func `CH12: a custom type is compared byte by byte`() throws {
        var chat = Chat()
        try chat.run(CreateChannel(id: general, customType: "caf\u{E9}"), as: .user(ann))
        func found(_ type: String) throws -> Int {
            var list = ListChannels()
            list.customTypes = [type]
            list.includeEmpty = true
            return try chat.ask(list, as: .user(ann)).channels.count
        }
        #expect(try found("caf\u{E9}") == 1)
        #expect(try found("cafe\u{301}") == 0)
    }
}
