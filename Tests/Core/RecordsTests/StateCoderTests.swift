import ChatDomain
import ChatModel
import Foundation
import Testing

@testable import Records

@Suite struct StateCoderTests {
    @Test func `every state part round-trips`() throws {
        for part in try stateExamples() {
            let bytes = try #require(StateCoder.encode(part))
            #expect(try StateCoder.decode(bytes) == part)
        }
    }

    @Test func `the examples fill every field that a state part can have`() throws {
        var fields = FilledFields()
        for part in try stateExamples() { fields.look(at: part) }
        fields.ignore("MessageFile", "thumbnails")
        // Only older servers wrote it.
        fields.ignore("MessageColumns", "parentPlaces")
        for type in ["AppPart", "UserPart", "FilePart", "ReportPart", "ChannelPart", "InvitationPart", "SanctionPart"] {
            #expect(fields.unfilled(of: type) == [], "\(type)")
        }
        for type in [
            "ChannelMorePart", "ThreadPart", "MemberPart", "ThreadMark", "MessageColumns", "Details", "ReactionsPart",
            "Key", "ImportPart", "BlockPart", "BlockReference", "BlockEnd", "RunPart", "HashKey", "ErasedUser",
            "Erasure", "SenderPart", "AppSanctionsPart", "BlockListPart", "ModerationPart",
            "ModerationEntry", "TextRuleDefinition",
        ] {
            #expect(fields.unfilled(of: type) == [], "\(type)")
        }
    }

    /// The golden files, each written once when a field was added, which every newer server must be able to read.
    @Test(arguments: [
        (file: "state-1", newerExamples: 31), (file: "state-1-revocations", newerExamples: 30),
        (file: "state-1-guests", newerExamples: 29), (file: "state-1-last-seen", newerExamples: 27),
        (file: "state-2", newerExamples: 23), (file: "state-3", newerExamples: 18),
        (file: "state-4", newerExamples: 12),
        (file: "state-5", newerExamples: 10), (file: "state-6", newerExamples: 0),
    ])
    func `states written by every version stay readable`(file: String, newerExamples: Int) throws {
        let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden/\(file).bin")
        var golden = Array(try Data(contentsOf: path))[...]
        for part in try stateExamples().dropLast(newerExamples) {
            let size = Int(golden[golden.startIndex]) << 8 | Int(golden[golden.startIndex + 1])
            let bytes = Array(golden.dropFirst(2).prefix(size))
            golden = golden.dropFirst(2 + size)
            if file == "state-5" || file == "state-6" {
                #expect(try StateCoder.decode(bytes) == part)
                #expect(StateCoder.encode(part) == bytes)
            } else {
                #expect(try StateCoder.decode(bytes) == Self.withPlaces(part))
            }
        }
        #expect(golden.isEmpty)
    }

    /// Returns a piece as servers before version 5 wrote it: with the places of parents among the same messages.
    private static func withPlaces(_ part: StatePart) -> StatePart {
        guard case .messages(let channel, let columns) = part else { return part }
        var messages = Array(columns)
        for index in messages.indices {
            let place = messages.firstIndex { $0.id == messages[index].parent }
            if let place { (messages[index].parent, messages[index].parentPlace) = (nil, place) }
        }
        return .messages(channel, MessageColumns(messages))
    }

    @Test func `decoding a corrupt state part never traps`() throws {
        for part in try stateExamples() {
            let bytes = try #require(StateCoder.encode(part))
            for index in bytes.indices {
                for mask in [UInt8(0xFF), 0x01, 0x80] {
                    var changed = bytes
                    changed[index] ^= mask
                    if let part = try? StateCoder.decode(changed) {
                        let state = ChatState()
                        try? state.load(part)
                    }
                }
                _ = try? StateCoder.decode(Array(bytes[..<index]))
            }
        }
        #expect(throws: RecordError.malformed) { try StateCoder.decode([0xFF]) }
        #expect(throws: RecordError.unknownEvent) { try StateCoder.decode([]) }
    }
}
