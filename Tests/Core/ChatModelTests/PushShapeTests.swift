import ChatModel
import Foundation
import Testing

/// The wire shapes of devices and preferences; see `WireShapeTests`.
@Suite struct PushShapeTests {
    private func check<Value: Codable>(
        _ value: Value, _ expected: String, _ location: SourceLocation = #_sourceLocation
    ) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let decoded = try JSONDecoder().decode(Value.self, from: Data(expected.utf8))
        for value in [value, decoded] {
            #expect(String(decoding: try encoder.encode(value), as: UTF8.self) == expected, sourceLocation: location)
        }
    }

    @Test func `L2: device and push requests match their wire shape`() throws {
        let general = try #require(ChannelID("general"))
        try check(RegisterDevice(provider: .apns, token: "t"), #"{"provider":"apns","token":"t"}"#)
        try check(UnregisterDevice(provider: .web, token: "t"), #"{"provider":"web","token":"t"}"#)
        try check(
            DevicesResponse(devices: [Device(provider: .fcm, token: "t")]),
            #"{"devices":[{"provider":"fcm","token":"t"}]}"#)
        try check(
            SetChannelPush(channelID: general, push: .mentionOnly), #"{"channel_id":"general","push":"mention_only"}"#)
        try check(SetChannelPush(channelID: general, push: .default), #"{"channel_id":"general","push":"default"}"#)
        try check(UpdatePreferences(push: .off), #"{"push":"off"}"#)
        try check(
            UpdatePreferences.Response(autoAcceptInvitations: true, push: .all),
            #"{"auto_accept_invitations":true,"push":"all"}"#)
        try check(MyMembership(state: .joined, push: .off), #"{"push":"off","state":"joined"}"#)
    }

    @Test func `MS10: a search request matches its wire shape`() throws {
        let general = try #require(ChannelID("general"))
        try check(SearchMessages(query: "a b"), #"{"query":"a b"}"#)
        try check(
            SearchMessages(channelID: general, query: "a", limit: 2, next: "t"),
            #"{"channel_id":"general","limit":2,"next":"t","query":"a"}"#)
        let from = try #require(UserID("ann"))
        try check(
            SearchMessages(
                query: "a", userIDs: [from], kind: .file, hasFiles: true, after: 1, before: 2, order: .relevance),
            #"{"after":1,"before":2,"has_files":true,"kind":"file","order":"relevance","query":"a","user_ids":["ann"]}"#
        )
        try check(
            SearchMessages.Response(messages: [], marks: [[[0, 5], [9, 2]]], isComplete: true),
            #"{"is_complete":true,"marks":[[[0,5],[9,2]]],"messages":[]}"#)
    }
}
