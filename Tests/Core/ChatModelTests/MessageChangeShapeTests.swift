import ChatModel
import Foundation
import Testing

/// The wire shapes of changed and deleted messages, as lines of JSON.
@Suite struct MessageChangeShapeTests {
    private let general = ChannelID("general")
    private let id = MessageID(high: 0x017F_22E2_79B0_7CC3, low: 0x98C4_DC0C_0C07_398F)
    private let text = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"

    private func check<Value: Codable & Equatable>(_ value: Value, _ expected: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        #expect(String(decoding: try encoder.encode(value), as: UTF8.self) == expected)
        #expect(try JSONDecoder().decode(Value.self, from: Data(expected.utf8)) == value)
    }

    private func decode<Value: Codable>(_ type: Value.Type, _ json: String) throws -> String {
        let value = try JSONDecoder().decode(type, from: Data(json.utf8))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    @Test func `MS7 MS8: a changed message and a tombstone match their wire shape`() throws {
        let general = try #require(general)
        try check(
            Message(
                id: id, channelID: general, kind: .text, text: "x", user: nil, createdAt: 1, updatedAt: 2, offset: 3),
            #"{"channel_id":"general","created_at":1,"id":"\#(text)","kind":"text","offset":3,"text":"x","updated_at":2}"#
        )
        try check(
            Message(
                id: id, channelID: general, kind: .text, text: nil, user: nil, createdAt: 1, deletedAt: 2, offset: 3),
            #"{"channel_id":"general","created_at":1,"deleted_at":2,"id":"\#(text)","kind":"text","offset":3}"#)
    }

    @Test func `MS8: a deletion event contains only ids`() throws {
        try check(
            TypedEvent(
                type: .messageDeleted, at: 9, by: nil, channelID: general, messageID: id, parentMessageID: id),
            #"{"at":9,"channel_id":"general","message_id":"\#(text)","parent_message_id":"\#(text)","type":"message.deleted"}"#
        )
    }

    @Test func `MS7 MS8: requests to change and delete messages match their wire shape`() throws {
        let update =
            #"{"channel_id":"general","custom_type":"note","data":"{}","message_id":"\#(text)","text":"x"}"#
        #expect(try decode(UpdateMessage.self, update) == update)
        let delete = #"{"channel_id":"general","message_id":"\#(text)"}"#
        #expect(try decode(DeleteMessage.self, delete) == delete)
        #expect(try decode(UpdateMessage.self, delete) == delete)
        #expect([UpdateMessage.method, DeleteMessage.method] == ["message.update", "message.delete"])
    }
}
