import ChatModel
import Foundation
import Testing

/// The wire shapes of operators, members, bans and mutes; see `WireShapeTests`.
@Suite struct ModerationShapeTests {
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

    private let general: ChannelID
    private let ann: UserID
    private let bob: UserID

    init() throws {
        general = try #require(ChannelID("general"))
        ann = try #require(UserID("ann"))
        bob = try #require(UserID("bob"))
    }

    private var user: User { User(id: ann, nickname: "Ann") }
    private let userJSON = #"{"id":"ann","nickname":"Ann"}"#

    @Test func `operator requests match their wire shape`() throws {
        try check(
            AddOperators(channelID: general, userIDs: [ann]), #"{"channel_id":"general","user_ids":["ann"]}"#)
        try check(
            RemoveOperators(channelID: general, userIDs: [ann]), #"{"channel_id":"general","user_ids":["ann"]}"#)
        try check(
            ListOperators(channelID: general, limit: 1, next: "t"), #"{"channel_id":"general","limit":1,"next":"t"}"#)
        let member = Member(user: user, role: .operator, state: .joined)
        let memberJSON = #"{"role":"operator","state":"joined","user":\#(userJSON)}"#
        try check(ListOperators.Response(operators: [member]), #"{"operators":[\#(memberJSON)]}"#)
        try check(MembersResponse(members: [member]), #"{"members":[\#(memberJSON)]}"#)
    }

    @Test func `ban and mute requests match their wire shape`() throws {
        let named = #"{"channel_id":"general","user_id":"ann"}"#
        try check(UnbanMember(channelID: general, userID: ann), named)
        try check(UnmuteMember(channelID: general, userID: ann), named)
        try check(BanMember(channelID: general, userID: ann), named)
        let full = #"{"channel_id":"general","description":"d","seconds":9,"user_id":"ann"}"#
        try check(BanMember(channelID: general, userID: ann, seconds: 9, description: "d"), full)
        try check(MuteMember(channelID: general, userID: ann, seconds: 9, description: "d"), full)
        let paged = #"{"channel_id":"general","limit":1,"next":"t"}"#
        try check(ListBanned(channelID: general, limit: 1, next: "t"), paged)
        try check(ListMuted(channelID: general, limit: 1, next: "t"), paged)
        let sanction = Sanction(user: user, until: 9, description: "d", at: 8, by: bob)
        let json = #"{"at":8,"by":"bob","description":"d","until":9,"user":\#(userJSON)}"#
        try check(ListBanned.Response(bans: [sanction], next: "t"), #"{"bans":[\#(json)],"next":"t"}"#)
        try check(ListMuted.Response(mutes: [sanction]), #"{"mutes":[\#(json)]}"#)
        try check(
            MemberResponse(member: Member(user: user, role: .member, state: .none, mutedUntil: 1, bannedUntil: 2)),
            #"{"member":{"banned_until":2,"muted_until":1,"role":"member","state":"none","user":\#(userJSON)}}"#)
        try check(MyMembership(state: .joined, mutedUntil: 1), #"{"muted_until":1,"state":"joined"}"#)
    }

    @Test func `requests for the list of members match their wire shape`() throws {
        try check(ListMembers(channelID: general), #"{"channel_id":"general"}"#)
        try check(
            ListMembers(
                channelID: general, limit: 1, next: "t", order: .operatorThenNickname, operatorFilter: .nonOperator,
                muted: true, nicknamePrefix: "a"),
            #"{"channel_id":"general","limit":1,"muted":true,"next":"t","nickname_prefix":"a","#
                + #""operator_filter":"non_operator","order":"operator_then_nickname"}"#)
        try check(
            ListMembers.Response(members: [Member(user: user, role: .member, state: .joined)], next: "t"),
            #"{"members":[{"role":"member","state":"joined","user":\#(userJSON)}],"next":"t"}"#)
    }
}
