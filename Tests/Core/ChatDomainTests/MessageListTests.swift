import ChatModel
import TestSupport
import Testing

@testable import ChatDomain

@Suite struct MessageListTests {
    /// A list beside the messages as plain values.
    private struct Model {
        var list = MessageList()
        var parts: [MessagePart] = []
        let channel: ChannelID = "general"

        mutating func append(using random: inout SeededGenerator) {
            let place = parts.count
            var details = MessagePart.Details()
            if random.chance(8) { details.customType = text(&random) }
            if random.chance(8) { details.data = text(&random) }
            if random.chance(8) { details.mentions = random.chance(2) ? .channel : .users([ann]) }
            if random.chance(8) { details.extras = extras(&random) }
            let parent = place > 0 && random.chance(3) ? Int.random(in: 0..<place, using: &random) : nil
            details.replyToChannel = parent != nil && random.chance(2)
            let part = MessagePart(
                id: MessageID(high: UInt64(place), low: 1), offset: UInt64(2 * place + 1), createdAt: Int64(place / 3),
                kind: random.pick(MessageKind.allCases), text: text(&random),
                sender: random.pick([ann, bob, cat, nil]),
                clientID: random.chance(2) ? "client \(place)" : nil, parent: parent.map { parts[$0].id },
                details: details)
            parts.append(part)
            list.append(StoredMessage(part, parent: part.parent))
        }

        mutating func change(using random: inout SeededGenerator) {
            let place = Int.random(in: 0..<parts.count, using: &random)
            let at = Int64.random(in: 0..<1_000, using: &random)
            guard parts[place].details?.deletedAt == nil else { return }
            if random.chance(4) {
                list.delete(place, at: at)
                var details = MessagePart.Details()
                details.replyToChannel = parts[place].details?.replyToChannel ?? false
                details.updatedAt = parts[place].details?.updatedAt
                details.deletedAt = at
                (parts[place].text, parts[place].details) = ("", details)
            } else {
                let updated = Event.MessageUpdated(
                    channel: channel, id: parts[place].id, text: text(&random), customType: "type",
                    data: random.chance(2) ? text(&random) : nil, mentions: .channel,
                    extras: random.chance(2) ? extras(&random) : nil)
                list.update(place, updated, at: at)
                parts[place].text = updated.text
                parts[place].details?.customType = updated.customType
                parts[place].details?.data = updated.data
                parts[place].details?.mentions = updated.mentions
                parts[place].details?.extras = updated.extras
                parts[place].details?.updatedAt = at
            }
        }

        private func text(_ random: inout SeededGenerator) -> String {
            (0..<Int.random(in: 0..<40, using: &random)).map { _ in random.pick(["a", "ß", "東", "👩‍👩‍👧"]) }.joined()
        }

        private func extras(_ random: inout SeededGenerator) -> MessageExtras {
            var extras = MessageExtras()
            extras.metaArrays = ["key": [text(&random)]]
            return extras
        }
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `messages stay as they were sent and changed, whatever their neighbours do`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var model = Model()
        for _ in 0..<1_500 {
            model.append(using: &random)
            if random.chance(3) { model.change(using: &random) }
        }
        for (message, part) in zip(model.list, model.parts) {
            let details = part.details ?? .init()
            #expect(message.id == part.id && message.offset == part.offset && message.createdAt == part.createdAt)
            #expect(message.kind == part.kind && message.sender == part.sender && message.clientID == part.clientID)
            #expect(message.parent == part.parent)
            #expect(message.replyToChannel == details.replyToChannel && message.text == part.text)
            #expect(message.customType == details.customType && message.data == details.data)
            #expect(message.mentions == details.mentions && message.extras == details.extras)
            #expect(message.updatedAt == details.updatedAt && message.deletedAt == details.deletedAt)
            #expect(message.isDeleted == (details.deletedAt != nil))
        }
    }

    @Test func `a message taken from the list does not change with the list`() {
        var random = SeededGenerator(seed: 1)
        var model = Model()
        for _ in 0..<10 { model.append(using: &random) }
        let taken = Array(model.list)
        let texts = taken.map(\.text)
        for _ in 0..<100 { model.change(using: &random) }
        #expect(taken.map(\.text) == texts)
    }

    @Test func `a reply to a parent that is not in the list keeps the parent's id`() {
        let parent = MessageID(high: 9, low: 9)
        let part = MessagePart(
            id: MessageID(high: 10, low: 1), offset: 1, createdAt: 0, kind: .text, text: "a", sender: ann,
            clientID: nil, parent: nil, details: nil)
        var list = MessageList()
        list.append(StoredMessage(part, parent: parent))
        #expect(list[0].parent == parent && !list[0].appearsInChannel)
    }

    @Test(arguments: [-1, 0, 1 << 31 - 1, 1 << 31, 1 << 40, .max] as [Int64])
    func `the time of a message need not be that in its id`(difference: Int64) {
        let time = MessageID(milliseconds: 1_780_000_000_000, random: (0, 0)).milliseconds
        #expect(time == 1_780_000_000_000)
        for createdAt in [time &+ difference, 0, .min] {
            let part = MessagePart(
                id: MessageID(milliseconds: time, random: (1, 1)), offset: 1, createdAt: createdAt, kind: .text,
                text: "a", sender: ann, clientID: nil, parent: nil, details: nil)
            var list = MessageList()
            list.append(StoredMessage(part, parent: nil))
            #expect(list[0].createdAt == createdAt && list.createdAt(at: 0) == createdAt)
        }
    }

    @Test func `an entry of the index takes 40 bytes`() {
        #expect(MemoryLayout<MessageEntry>.stride == 40)
    }
}

@Suite struct PlaceTableTests {
    @Test(arguments: [3, 1_000, 100_000], [0, 50_000])
    func `the last place of each hash is found, while the table grows`(hashes: Int, reserved: Int) {
        var random = SeededGenerator(seed: UInt64(hashes))
        var table = PlaceTable()
        table.reserve(reserved)
        var last: [UInt32: Int] = [:]
        let count = hashes == 3 ? 500 : 50_000
        for place in 0..<count {
            // Spread over all bits, as the hashes of client ids are.
            let hash = UInt32.random(in: 0..<UInt32(hashes), using: &random) &* 0x9E37_79B9
            table.insert(place, hash, firstKept: 0)
            last[hash] = place
        }
        for (hash, place) in last { #expect(table.place(hash) { _ in true } == place) }
        #expect(table.place(last.keys.first ?? 0) { _ in false } == nil)
    }

    @Test(arguments: [100, 10_000])
    func `PR4: the space for client ids does not grow with the messages that were removed`(kept: Int) {
        var random = SeededGenerator(seed: UInt64(kept))
        var table = PlaceTable()
        let hashes = (0..<200_000).map { _ in UInt32.random(in: .min ... .max, using: &random) }
        for (place, hash) in hashes.enumerated() { table.insert(place, hash, firstKept: max(0, place - kept)) }
        for place in hashes.count - kept..<hashes.count {
            #expect(table.place(hashes[place]) { $0 == place } == place)
        }
        #expect(table.slotCount <= 8 * kept)
    }

    @Test func `an empty table has no places`() {
        #expect(PlaceTable().place(1) { _ in true } == nil)
    }
}
