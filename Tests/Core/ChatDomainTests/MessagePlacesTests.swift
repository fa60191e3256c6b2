import ChatModel
import TestSupport
import Testing

@testable import ChatDomain

@Suite struct MessagePlacesTests {
    private static func message(_ id: MessageID, _ offset: Int) -> StoredMessage {
        let part = MessagePart(
            id: id, offset: UInt64(offset), createdAt: 0, kind: .text, text: "", sender: nil, clientID: nil,
            parent: nil,
            details: nil)
        return StoredMessage(part, parent: nil)
    }

    @Test(arguments: [0, 1, 2, 3, 5, 8, 1_023, 1_024, 1_025, 5_000])
    func `messages with ascending ids are found, and unknown ids are not`(count: Int) {
        var messages = MessageList()
        for place in 0..<count {
            messages.append(Self.message(MessageID(high: UInt64(2 * place + 1), low: 7), place + 1))
        }
        for place in 0..<count { #expect(messages.place(of: messages[place].id) == place) }
        for gap in 0...count { #expect(messages.place(of: MessageID(high: UInt64(2 * gap), low: 7)) == nil) }
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `messages with ids in any order are found`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let ids = (0..<3_000).map { MessageID(high: UInt64($0), low: 0) }
        // The ids ascend at first, as if the clock was set back once.
        let shuffled = ids[..<1_500] + ids[1_500...].shuffled(using: &random)
        var messages = MessageList()
        for (place, id) in shuffled.enumerated() {
            messages.append(Self.message(id, place + 1))
            #expect(messages.place(of: id) == place)
        }
        for (place, id) in shuffled.enumerated() { #expect(messages.place(of: id) == place) }
        #expect(messages.place(of: MessageID(high: 3_000, low: 0)) == nil)
    }
}
