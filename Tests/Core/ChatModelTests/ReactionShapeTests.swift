import ChatModel
import Foundation
import Testing

/// The wire shapes of reactions and emojis, as lines of JSON.
@Suite struct ReactionShapeTests {
    private let id = MessageID(high: 0x017F_22E2_79B0_7CC3, low: 0x98C4_DC0C_0C07_398F)
    private let text = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"

    private func check<Value: Codable>(_ type: Value.Type, _ json: String) throws {
        let value = try JSONDecoder().decode(type, from: Data(json.utf8))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        #expect(String(decoding: try encoder.encode(value), as: UTF8.self) == json)
    }

    @Test func `R2 R3: reactions and their changes match their wire shape`() throws {
        try check(Reaction.self, #"{"count":2,"key":"sob","mine":true,"updated_at":7,"user_ids":["ann","bob"]}"#)
        let change =
            #"{"count":2,"key":"sob","message_id":"\#(text)","operation":"add","updated_at":7,"user_id":"ann"}"#
        try check(ReactionChange.self, change)
        try check(ReactionChange.self, #"{"message_id":"\#(text)"}"#)
        try check(ReactionResponse.self, #"{"reaction":\#(change)}"#)
        try check(
            TypedEvent.self,
            #"{"at":9,"by":"ann","channel_id":"general","reaction":\#(change),"type":"reaction.updated"}"#)
        #expect(ReactionChange.Operation.remove.rawValue == "remove")
    }

    @Test func `R1 R2 R3: reaction and emoji requests match their wire shape`() throws {
        let named = #"{"channel_id":"general","key":"sob","message_id":"\#(text)"}"#
        try check(AddReaction.self, named)
        try check(RemoveReaction.self, named)
        try check(ListReactionUsers.self, named)
        try check(
            ListReactionUsers.self,
            #"{"channel_id":"general","key":"sob","limit":3,"message_id":"\#(text)","next":"t"}"#)
        try check(ListReactionUsers.Response.self, #"{"next":"t","users":[{"id":"ann","nickname":"Ann"}]}"#)
        try check(ListEmojis.self, "{}")
        let emoji = #"{"category":"feast","character":"x","key":"party"}"#
        try check(CreateEmoji.self, emoji)
        try check(DeleteEmoji.self, #"{"key":"party"}"#)
        try check(EmojiResponse.self, #"{"emoji":\#(emoji),"hash":"h"}"#)
        try check(ListEmojis.Response.self, #"{"emojis":[\#(emoji),{"key":"logo","url":"/logo.png"}],"hash":"h"}"#)
        let methods: [any Request.Type] = [
            AddReaction.self, RemoveReaction.self, ListReactionUsers.self, ListEmojis.self, CreateEmoji.self,
            DeleteEmoji.self,
        ]
        #expect(
            methods.map { $0.method } == [
                "reaction.add", "reaction.remove", "reaction.list_users", "emoji.list", "emoji.create", "emoji.delete",
            ])
    }
}
