import ChatModel
import Foundation
import Testing
import WireProtocol

@testable import ImportFormats

/// The converters on files made by hand after the documentation of the exports (`PR3`).
@Suite struct ConverterTests {
    private func lines<Converter: ImportConverter>(
        of names: String..., by converter: Converter
    ) throws -> [ImportLine] {
        var converter = converter
        var lines: [ImportLine] = []
        for name in names {
            let url = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Samples/\(name)")
            var elements = JSONElements(lists: Converter.lists, limit: 100_000)
            var found: [[UInt8]] = []
            try elements.read(try Data(contentsOf: url)) { found.append($0) }
            try elements.end()
            for element in found { lines += try converter.lines(of: try JSONFields(element)) }
        }
        return lines
    }

    private func failure(_ text: String, _ converter: some ImportConverter) throws -> ConversionFailure? {
        var converter = converter
        let fields = try JSONFields(Array(text.utf8))
        do throws(ConversionFailure) {
            _ = try converter.lines(of: fields)
            return nil
        } catch {
            return error
        }
    }

    @Test func `PR3: Sendbird's users, channels and messages become lines`() throws {
        let lines = try lines(
            of: "sendbird-users.json", "sendbird-channels.json", "sendbird-messages.json", by: SendbirdConverter())
        #expect(
            lines.map(\.type) == [
                "user", "user", "user", "channel", "member", "member", "member", "message", "emoji", "reaction", "user",
                "reaction", "message", "message", "user", "message",
            ])
        let users = lines.compactMap(\.user)
        #expect(users.map(\.id.rawValue) == ["ann", "bob", "cat", "dan", "eve"])
        #expect(users[0].nickname == "Ann" && users[0].lastSeenAt == 1_640_995_200_000)
        #expect(users[1].nickname == nil && users[1].profileURL == nil && users[1].isActive == false)
        #expect(users[1].lastSeenAt == nil)
        let channel = try #require(lines[3].channel)
        #expect(channel.name == "Team red" && channel.createdAt == 1_577_836_800_000 && channel.isDistinct == true)
        #expect(channel.createdBy == users[0].id && channel.data == nil && channel.metadata == ["k": "v"])
        #expect(lines.compactMap(\.member).map(\.role) == [.operator, .member, .member])
        #expect(lines.compactMap(\.member).map(\.state) == [.joined, .joined, .invited])
        let messages = lines.compactMap(\.message)
        #expect(messages.map(\.id) == ["101", "102", "103", "104"])
        #expect(messages.map(\.kind) == [.text, .file, .admin, nil])
        #expect(messages[0].updatedAt == 1_609_459_260_000 && messages[0].metaArrays == ["tags": ["a", "b"]])
        #expect(messages[0].mentionedUserIDs == [users[1].id])
        #expect(messages[1].parentMessageID == "101" && messages[1].replyToChannel == true)
        #expect(messages[1].files?.first?.mimeType == "image/png" && messages[1].updatedAt == nil)
        #expect(messages[2].user == nil && messages[2].text == "welcome")
        #expect(messages[3].deletedAt == 1_609_459_204_000 && messages[3].text == nil)
        #expect(lines[8].emoji?.character == "😭")
        #expect(lines[9].at == 1_609_459_205_000)
    }

    @Test func `PR3: a message with more files than one may have becomes several messages`() throws {
        let files = (1...45).map { #"{"url": "https://a/\#($0)", "asset_url": "https://a/\#($0)", "type": "file"}"# }
        let list = "[" + files.joined(separator: ",") + "]"
        var sendbird = SendbirdConverter()
        let message = #"""
            {"message_id": 7, "type": "FILE", "channel_url": "c", "user": {"user_id": "ann"}, "created_at": 1,
            "files": \#(list), "reactions": [{"key": "a", "user_ids": ["ann"], "updated_at": 1}]}
            """#
        let sent = try sendbird.lines(of: try JSONFields(Array(message.utf8)))
        #expect(sent.compactMap(\.message?.id) == ["7", "7.files2", "7.files3"])
        #expect(sent.compactMap(\.message?.files?.count) == [20, 20, 5])
        #expect(sent.compactMap(\.message?.files).joined().map(\.url) == (1...45).map { "https://a/\($0)" })
        #expect(sent.last?.messageID == "7")
        var stream = StreamConverter()
        let channel = #"""
            {"channel": {"id": "c", "type": "messaging", "created_at": "2020-01-01T00:00:00Z"}, "messages": [
            {"id": "m", "text": "hi", "user": {"id": "ann"}, "created_at": "2020-01-01T00:00:00Z",
            "attachments": \#(list)}]}
            """#
        let messages = try stream.lines(of: try JSONFields(Array(channel.utf8))).compactMap(\.message)
        #expect(messages.map(\.id) == ["m", "m.files", "m.files2", "m.files3"])
        #expect(messages.map(\.kind) == [.text, .files, .files, .files])
    }

    @Test(arguments: [
        ("image/png", "image/png"), ("text/plain; charset=utf-8", "text/plain"), ("text/plain ;a=b", "text/plain"),
        ("image", nil), ("a/b/c", nil), ("/png", nil), ("image/ä", nil), ("", nil),
        ("a/" + String(repeating: "b", count: 126), nil),
    ]) func `PR3: a file keeps its media type, if it has one`(type: String, kept: String?) throws {
        var converter = SendbirdConverter()
        let message = #"""
            {"message_id": 7, "type": "FILE", "channel_url": "c", "user": {"user_id": "ann"}, "created_at": 1,
            "file": {"url": "https://a", "type": "\#(type)"}}
            """#
        let lines = try converter.lines(of: try JSONFields(Array(message.utf8)))
        #expect(lines.compactMap(\.message?.files?.first).map(\.mimeType) == [kept])
    }

    @Test func `PR3: Stream's channels become lines, with read markers after the messages`() throws {
        let lines = try lines(of: "stream-channels.json", by: StreamConverter())
        #expect(
            lines.map(\.type) == [
                "user", "channel", "member", "user", "member", "user", "member", "message", "message", "emoji",
                "reaction", "emoji", "reaction", "message", "message", "message", "message", "read",
            ])
        let channel = try #require(lines[1].channel)
        #expect(channel.id.rawValue == "messaging.~members-x1" && channel.isDistinct == true)
        #expect(channel.createdAt == 1_609_459_200_500 && channel.customType == "messaging")
        #expect(lines.compactMap(\.member).map(\.role) == [.operator, .member, .member])
        #expect(lines.compactMap(\.member).map(\.state) == [.joined, .joined, .invited])
        let messages = lines.compactMap(\.message)
        #expect(messages.map(\.id) == ["m-1", "m-1.files", "m-2", "m-3", "m-4", "m-6"])
        #expect(messages.map(\.kind) == [.text, .file, .text, .admin, nil, .text])
        #expect(messages[2].parentMessageID == "m-1" && messages[2].replyToChannel == false)
        #expect(messages[4].deletedAt == 1_609_459_560_000 && messages[5].text == "https://giphy.com/cat")
        #expect(lines.compactMap(\.emoji).map(\.key) == ["love", "u1f440"])
        #expect(lines.compactMap(\.emoji).map(\.character) == ["❤️", "👀"])
        let read = try #require(lines.last)
        #expect(read.userID?.rawValue == "bob" && read.messageID == "m-2")
    }

    @Test func `PR3: the lines of version 2 of Stream's export, and its users, become lines`() throws {
        let lines = try lines(of: "stream-v2.jsonl", by: StreamConverter())
        #expect(lines.map(\.type) == ["user", "channel", "member", "message", "user"])
        #expect(lines[0].user?.isActive == false && lines[4].user?.nickname == "Dan")
        #expect(lines[1].channel?.isPublic == true && lines[1].channel?.isSuper == true)
        #expect(lines[2].channelID?.rawValue == "livestream.live" && lines[2].member?.role == .operator)
        #expect(lines[3].message?.channelID.rawValue == "livestream.live")
    }

    @Test(arguments: [
        (#"{"message_id":1}"#, "type is missing"),
        (#"{"message_id":"x","type":"MESG"}"#, "message_id has the wrong type"),
        (#"{"message_id":1,"type":"MESG","channel_url":"c","created_at":1}"#, "user is missing"),
        (#"{"channel_url":"a b","created_at":1}"#, "channel_url: must be a channel id: [A-Za-z0-9_.~-]{1,100}"),
        (#"{"user_id":7}"#, "user_id has the wrong type"),
    ])
    func `PR3: an object of Sendbird's that lacks something is refused with the field`(text: String, problem: String)
        throws
    {
        #expect(try failure(text, SendbirdConverter()) == ConversionFailure(problem))
    }

    @Test(arguments: [
        (#"{"channel":{"type":"t"}}"#, "channel.id is missing"),
        (#"{"type":"message","item":{"id":"x","created_at":"now"}}"#, "cid is missing"),
        (#"{"type":"member","item":{"user_id":"ann"}}"#, "channel_cid is missing"),
        (#"{"type":"user","item":{"id":""}}"#, "id: must be a user id: 1 to 80 characters, no control characters"),
    ])
    func `PR3: an object of Stream's that lacks something is refused with the field`(text: String, problem: String)
        throws
    {
        #expect(try failure(text, StreamConverter()) == ConversionFailure(problem))
    }

    @Test(arguments: ["{}", #"{"a":[1]}"#, #"{"type":"poll","item":{}}"#, #"{"type":7,"item":{}}"#])
    func `PR3: objects of other kinds are left out`(text: String) throws {
        #expect(try failure(text, SendbirdConverter()) == nil)
        if !text.contains("7") { #expect(try failure(text, StreamConverter()) == nil) }
    }
}
