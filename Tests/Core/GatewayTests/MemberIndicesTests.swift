import ChatModel
import TestSupport
import Testing

@testable import Gateway

@Suite struct MemberIndicesTests {
    /// Few rooms are kept in a list, more than 16 in a table.
    @Test(arguments: [0, 1, 15, 16, 17, 40])
    func `entries are found, changed and removed like those of a dictionary`(count: Int) throws {
        var (indices, expected) = (MemberIndices(), [Room: Int]())
        var random = SeededGenerator(seed: UInt64(count))
        let rooms = try (0..<count).map { Room.channel(try #require(ChannelID("c\($0)"))) }
        indices.reserve(count)
        for step in 0..<20 * count {
            guard let room = rooms.randomElement(using: &random) else { continue }
            let index = Int.random(in: 0..<4, using: &random) == 0 ? nil : step
            indices[room] = index
            expected[room] = index
            #expect(indices.count == expected.count)
        }
        for room in rooms { #expect(indices[room] == expected[room]) }
        #expect(Set(indices.rooms) == Set(expected.keys))
        for room in rooms { indices[room] = nil }
        #expect(indices.rooms.isEmpty)
    }
}
