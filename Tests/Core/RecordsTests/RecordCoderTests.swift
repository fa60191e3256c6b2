import ChatDomain
import ChatModel
import Foundation
import Testing

@testable import Records

@Suite struct RecordCoderTests {
    @Test func `every record round-trips`() throws {
        for record in try exampleRecords() {
            let bytes = try #require(RecordCoder.encode([record]))
            #expect(try RecordCoder.decode(bytes) == [record])
        }
        let all = try exampleRecords()
        #expect(try RecordCoder.decode(try #require(RecordCoder.encode(all))) == all)
    }

    @Test func `the examples contain an event of every kind`() throws {
        let kinds = Set(try examples().map { "\($0)".prefix { $0 != "(" } })
        let known = Set(try knownKinds())
        #expect(Set(kinds.map(String.init)) == known)
    }

    /// A new field that the records do not store would be lost at the next restart.
    @Test func `the examples fill every field that an event can have`() throws {
        var fields = FilledFields()
        for event in try examples() { fields.look(at: event) }
        // Thumbnails are computed for each response.
        fields.ignore("MessageFile", "thumbnails")
        for type in fields.types { #expect(fields.unfilled(of: type) == [], "\(type)") }
        #expect(fields.types.contains("SettingValues") && fields.types.contains("MessageExtras"))
    }

    /// The fast path covers common fields; rare ones use the generated code.
    @Test
    func `the fast path for a sent message writes the same bytes as the generated code, for any set of fields`() throws
    {
        let sent = try examples().compactMap { event in
            if case .messageSent(let sent) = event { sent } else { nil }
        }
        let leftOut: [(inout Event.MessageSent) -> Void] = [
            { _ in }, { $0.sender = nil }, { $0.clientID = nil }, { $0.clientID = "" }, { $0.parent = nil },
            { $0.parent = MessageID(high: 0, low: 0) }, { $0.replyToChannel.toggle() }, { $0.customType = nil },
            { $0.customType = "" }, { $0.data = nil }, { $0.data = "" }, { $0.text = "" },
            { $0.text = String(repeating: "ä", count: 20_000) }, { $0.id = MessageID(high: 0, low: .max) },
            { $0.expiresAt = nil }, { $0.expiresAt = -1 }, { $0.expiresAt = .max }, { $0.quote = nil },
            { $0.quote = Event.Quote(kind: .file, createdAt: .min) },
            { $0.quote = Event.Quote(kind: .text, createdAt: -1, text: String(repeating: "ä", count: 512)) },
        ]
        #expect(!sent.isEmpty)
        for sent in sent {
            for leaveOut in leftOut {
                for (at, offsets) in [(1, [1]), (.min, []), (.max, [.max, 1]), (0, [127, 128, 16_384])]
                    as [(Int64, [UInt64])]
                {
                    var plain = sent
                    plain.mentions = nil
                    plain.extras = nil
                    plain.sentContent = nil
                    plain.quote?.file = nil
                    plain.quote?.thumbnailSizes = nil
                    leaveOut(&plain)
                    let room = Room.channel(plain.channel)
                    let record = Record(
                        event: .messageSent(plain), at: at, by: plain.sender,
                        positions: offsets.map { RoomOffset(room: room, offset: $0) })
                    let bytes = try #require(SentMessageFrame.encode([record]))
                    #expect(bytes == RecordCoder.encodeProto([record]))
                    if offsets.count == 1 { #expect(try RecordCoder.decode(bytes) == [record]) }
                }
            }
        }
    }

    @Test func `events that a short frame cannot express are written in the long form`() throws {
        for record in try exampleRecords() {
            #expect(RecordCoder.encode([record]) == RecordCoder.encodeProto([record]))
            #expect(RecordCoder.encode([record, record]) == RecordCoder.encodeProto([record, record]))
        }
        #expect(SentMessageFrame.encode([]) == nil)
    }

    /// Returns the cases in the file from which the records are generated.
    private func knownKinds() throws -> [String] {
        let path = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/Core/Records/records.proto")
        let lines = try String(contentsOf: path, encoding: .utf8).split(separator: "\n")
        let cases = lines.drop { !$0.contains("oneof event") }.dropFirst().prefix { !$0.hasPrefix("  }") }
        return cases.compactMap { line in
            let words = line.split(separator: " ")
            guard words.count > 1 else { return nil }
            let parts = words[1].split(separator: "_")
            return parts.dropFirst().reduce(String(parts[0])) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
        }
    }

    /// The golden files, each written once by its version, which every newer server must be able to read.
    @Test(arguments: [
        (version: 1, newerExamples: 66), (version: 2, newerExamples: 65), (version: 3, newerExamples: 63),
        (version: 4, newerExamples: 58), (version: 5, newerExamples: 47), (version: 6, newerExamples: 35),
        (version: 7, newerExamples: 31), (version: 8, newerExamples: 2),
    ])
    func `records written by older versions stay readable`(version: Int, newerExamples: Int) throws {
        let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden/records-\(version).bin")
        let golden = Array(try Data(contentsOf: path))
        let records = try Array(exampleRecords().dropLast(newerExamples))
        #expect(try RecordCoder.decode(golden) == records)
        // The same records give the same bytes in every process.
        #expect(RecordCoder.encode(records) == golden)
        // Nodes of a cluster that do not read version 5 get what they can read.
        if version < 5 { #expect(RecordCoder.encode(records, version: 4) == golden) }
    }

    @Test func `in version 4, records lack only what version 5 has added`() throws {
        var changed = 0
        for record in try exampleRecords() {
            let older: Event
            switch record.event {
            case .messageSent(var sent):
                sent.quote = nil
                older = .messageSent(sent)
            case .messageUpdated(var updated):
                updated.sentContent = nil
                older = .messageUpdated(updated)
            case .messageDeleted(let channel, let message, _): older = .messageDeleted(channel, message)
            case let event: older = event
            }
            let expected = Record(event: older, at: record.at, by: record.by, positions: record.positions)
            if expected != record { changed += 1 }
            let bytes = try #require(RecordCoder.encode([record], version: 4))
            #expect(try RecordCoder.decode(bytes) == [expected])
            #expect(bytes == RecordCoder.encode([expected]))
            #expect(try RecordCoder.decode(try #require(RecordCoder.encode([record], version: 5))) == [record])
        }
        #expect(changed == 6)
    }

    @Test func `PR1: only version 7 can express that a user is deleted, so older nodes hold it up`() throws {
        let events = try examples().filter { $0.leastVersion == 7 }
        #expect(events.count { if case .userDeleted = $0 { true } else { false } } == 2)
        for event in events {
            let record = Record(event: event, at: 1, by: nil, positions: [])
            #expect(RecordCoder.expresses([record], version: 7) && !RecordCoder.expresses([record], version: 6))
        }
    }

    @Test func `PR3: only version 6 can express an import, and a batch holds nothing but what its lines add`() throws {
        let general = try valid(ChannelID("general"))
        let frozen = Record(event: .channelFrozen(general), at: 1, by: nil, positions: [])
        func batch(_ records: [Record]) -> [Record] {
            let event = Event.importAdded(.init(id: "i", lastLine: 1, records: records))
            return [Record(event: event, at: 2, by: nil, positions: [])]
        }
        #expect(RecordCoder.expresses(batch([frozen]), version: 6) && !RecordCoder.expresses(batch([]), version: 5))
        #expect(RecordCoder.expresses([frozen], version: 4))
        let position = RoomOffset(room: .channel(general), offset: 1)
        let others = [
            batch([])[0], Record(event: .usersSeen([]), at: 1, by: nil, positions: []),
            Record(event: frozen.event, at: 1, by: nil, positions: [position]),
        ]
        for other in others {
            let bytes = try #require(RecordCoder.encode(batch([frozen, other])))
            #expect(throws: RecordError.invalid(field: "records")) { try RecordCoder.decode(bytes) }
        }
        let bytes = try #require(RecordCoder.encode(batch([frozen])))
        #expect(try RecordCoder.decode(bytes) == batch([frozen]))
    }

    @Test func `a webhook stored before there were two secrets has one`() throws {
        // Frame { records: Record { at: 1, webhook_set: Webhook { id: "w", secret: "s" } } }
        let before: [UInt8] = [0x0A, 0x0B, 0x08, 0x01, 0xC2, 0x03, 0x06, 0x0A, 0x01, 0x77, 0x2A, 0x01, 0x73]
        let target = WebhookTarget(webhook: Webhook(id: "w", url: "", events: .types([])), secret: "s")
        let records = [Record(event: .webhookSet(target), at: 1, by: nil, positions: [])]
        #expect(try RecordCoder.decode(before) == records && RecordCoder.encode(records) == before)
    }

    @Test func `corrupt records are refused and never trap`() throws {
        let bytes = try #require(RecordCoder.encode(try exampleRecords()))
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 0xFF
            _ = try? RecordCoder.decode(changed)
            _ = try? RecordCoder.decode(Array(bytes[..<index]))
        }
        #expect(throws: RecordError.malformed) { try RecordCoder.decode([0xFF]) }
    }

    @Test func `an event from a newer server is refused, not skipped`() throws {
        // Frame { records: Record { at: 1, 200: "" } }
        #expect(throws: RecordError.unknownEvent) {
            try RecordCoder.decode([0x0A, 0x05, 0x08, 0x01, 0xC2, 0x0C, 0x00])
        }
    }

    @Test func `an event with different numbers of offsets and rooms is refused`() throws {
        let general = try valid(ChannelID("general"))
        let record = Record(event: .channelFrozen(general), at: 1, by: nil, positions: [])
        #expect(throws: RecordError.invalid(field: "offsets")) {
            try RecordCoder.decode(try #require(RecordCoder.encode([record])))
        }
    }

    /// Nearly all frames are of one kind, for which there is a hand-written decoder.
    @Test func `the fast path reads a modified or truncated sent-message frame as the generated code does`() throws {
        var read = 0
        for record in try exampleRecords() {
            guard case .messageSent = record.event else { continue }
            let bytes = try #require(RecordCoder.encode([record]))
            for index in bytes.indices {
                var changes = (1...255 as ClosedRange<UInt8>).map { mask in
                    var changed = bytes
                    changed[index] ^= mask
                    return changed
                }
                changes.append(Array(bytes[..<index]))
                for changed in changes
                where Self.outcome(changed, RecordCoder.decode) != Self.outcome(changed, RecordCoder.decodeProto) {
                    Issue.record("\(changed) is read differently")
                }
            }
            if SentMessageFrame.decode(bytes) != nil { read += 1 }
        }
        #expect(read > 1)
    }

    private static func outcome(
        _ bytes: [UInt8], _ decode: ([UInt8]) throws(RecordError) -> [Record]
    ) -> Result<[Record], RecordError> {
        Result { () throws(RecordError) in try decode(bytes) }
    }
}
