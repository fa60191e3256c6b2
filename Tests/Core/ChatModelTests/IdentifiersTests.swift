import ChatModel
import Foundation
import TestSupport
import Testing

@Suite struct IdentifiersTests {
    @Test(arguments: [
        ("a", true), (String(repeating: "a", count: 80), true), (String(repeating: "a", count: 81), false),
        (String(repeating: "😀", count: 80), true), (String(repeating: "😀", count: 81), false),
        ("e" + String(repeating: "\u{301}", count: 79), true), ("e" + String(repeating: "\u{301}", count: 80), false),
        ("", false), (" ", true), ("ann@example.org/#?&", true), ("ann\u{0}", false), ("\n", false), ("\u{1F}", false),
        ("\u{7E}", true), ("\u{7F}", false), ("\u{80}", false), ("\u{9F}", false), ("\u{A0}", true), ("..", true),
    ])
    func `US1: a user id has 1 to 80 code points and no control characters`(text: String, isValid: Bool) {
        #expect((UserID(text) != nil) == isValid)
        #expect(UserID(text).map { Array($0.rawValue.utf8) } == (isValid ? Array(text.utf8) : nil))
    }

    @Test(arguments: [
        ("K", "\u{212A}"), ("é", "e\u{301}"), ("Å", "\u{212B}"), (";", "\u{37E}"), ("가", "\u{1100}\u{1161}"),
    ])
    func `ids are opaque: canonically equivalent ids belong to different users`(one: String, other: String) throws {
        #expect(one == other)
        let (ann, impostor) = (try #require(UserID(one)), try #require(UserID(other)))
        #expect(ann != impostor)
        #expect((ann < impostor) != (impostor < ann))
        #expect(Set([ann, impostor, ann]).count == 2)
        #expect(Room.inbox(ann) != Room.inbox(impostor))
    }

    @Test(arguments: [
        ("guest-0123456789abcdef0123456789abcdef", true), ("guest-0123456789abcdef0123456789abcde", false),
        ("guest-0123456789abcdef0123456789abcdef0", false), ("guest-0123456789abcdef0123456789abcdeF", false),
        ("Guest-0123456789abcdef0123456789abcdef", false), ("guest_0123456789abcdef0123456789abcdef", false),
        ("guest-0123456789abcdef0123456789abcdeg", false), ("ann", false), ("guest-", false),
    ])
    func `a guest id has its own form`(text: String, isGuest: Bool) throws {
        let id = try #require(UserID(text))
        #expect(id.isGuest == isGuest)
        #expect(id.guestName == (isGuest ? "Guest 0123" : nil))
        #expect(User(id: id, nickname: "").isGuest == (isGuest ? true : nil))
        #expect(UserID.guest(0x0123_4567_89AB_CDEF, 0xF).rawValue == "guest-0123456789abcdef000000000000000f")
        #expect(UserID.guest(.max, .max).isGuest && UserID.guest(0, 0).isGuest)
    }

    @Test(arguments: [
        ("a", true), ("Z9_.~-", true), ("", false), (String(repeating: "a", count: 100), true),
        (String(repeating: "a", count: 101), false), ("a b", false), ("a#", false), ("#ann", false), ("é", false),
        ("a/b", false), ("a:b", false), ("a\n", false), ("a\u{0}", false), ("\u{212A}", false), ("..", true),
    ])
    func `a channel id is [A-Za-z0-9_.~-]{1,100}`(text: String, isValid: Bool) {
        #expect(ChannelID(text)?.rawValue == (isValid ? text : nil))
    }

    @Test func `a channel id allows exactly 66 of the one-byte characters`() {
        let taken = (UInt8.min...0x7F).filter { ChannelID(String(UnicodeScalar($0))) != nil }
        let expected = "-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~"
        #expect(String(decoding: taken, as: UTF8.self) == expected)
    }

    @Test(
        arguments: [
            ("general", "general"), ("#ann", "#ann"), ("##", "##"), ("#a b", "#a b"), ("#", nil), ("", nil),
            ("a b", nil),
            ("#\n", nil), ("#" + String(repeating: "a", count: 80), "#" + String(repeating: "a", count: 80)),
            ("#" + String(repeating: "a", count: 81), nil),
        ] as [(String, String?)])
    func `a room name is a channel id, or # and a user id`(name: String, read: String?) {
        #expect(Room(name: name)?.name == read)
    }

    @Test func `an id that begins with a combining mark has its own inbox`() throws {
        let user = try #require(UserID("\u{301}ann"))
        let read = try #require(Room(name: Room.inbox(user).name))
        #expect(read == .inbox(user))
        #expect(read != .inbox(try #require(UserID("ann"))))
    }

    @Test(arguments: [2, 22] as [UInt64])
    func `every room can be parsed from its name`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<5_000 {
            guard let user = UserID(random.text(upTo: 6)) else { continue }
            #expect(Room(name: Room.inbox(user).name) == .inbox(user), "seed \(seed)")
        }
    }

    @Test func `an invalid id is reported with its field's name`() {
        let cases: [(any Decodable.Type, String, String)] = [
            (GetChannel.self, #"{"channel_id":"a b"}"#, "channel_id"), (GetUser.self, #"{"user_id":""}"#, "user_id"),
            (GetMessage.self, #"{"channel_id":"a","message_id":"7"}"#, "message_id"),
            (UpsertUser.self, #"{"id":"\u0007"}"#, "id"),
        ]
        for (type, json, field) in cases {
            let error = #expect(throws: InvalidValue.self) { try JSONDecoder().decode(type, from: Data(json.utf8)) }
            #expect(error?.field == field)
        }
        let inArray = #expect(throws: InvalidValue.self) {
            try JSONDecoder().decode(
                InviteToChannel.self, from: Data(#"{"channel_id":"a","user_ids":["ann",""]}"#.utf8))
        }
        #expect(inArray?.field.hasPrefix("user_ids") == true)
    }
}
