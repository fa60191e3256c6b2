import ChatModel
import Testing

@testable import ChatDomain

/// One character of 25 bytes.
private let family = "👩‍👩‍👧‍👦"

/// Covers `T3`: what a reply quotes, and that its record says so.
@Suite struct QuoteTests {
    private func quote(in record: Record?) -> Event.Quote? {
        if case .messageSent(let sent) = record?.event { sent.quote } else { nil }
    }

    /// Returns the record with another quote.
    private func record(_ record: Record, quoting quote: Event.Quote?) throws -> Record {
        guard case .messageSent(var sent) = record.event else { throw CancellationError() }
        sent.quote = quote
        return Record(event: .messageSent(sent), at: record.at, by: record.by, positions: record.positions)
    }

    /// Applies the records and returns the announcement that the last one causes.
    private func announcement(of records: [Record]) throws -> Announcement {
        let state = ChatState()
        for record in records.dropLast() { state.evolve(record) }
        let last = try #require(records.last)
        state.evolve(last)
        guard case .announce(let announcement) = state.effects(of: last, ChatSettings()).last else {
            throw CancellationError()
        }
        return announcement
    }

    @Test(arguments: [
        ("hello", 5), (String(repeating: "a", count: 1_024), 1_024), (String(repeating: "a", count: 1_025), 1_024),
        (String(repeating: "a", count: 16_384), 1_024), (String(repeating: "ä", count: 1_000), 1_024),
        ("a" + String(repeating: "ä", count: 1_000), 1_023), (String(repeating: "日", count: 1_000), 1_023),
        (String(repeating: "a", count: 999) + family, 1_024), (String(repeating: "a", count: 1_000) + family, 1_000),
        (String(repeating: "a", count: 1_020) + family + "b", 1_020),
        (String(repeating: "a", count: 1_023) + "\r\n", 1_023), (String(repeating: "a", count: 1_022) + "\r\nb", 1_024),
        // The first character alone is too long.
        ("e" + String(repeating: "\u{301}", count: 1_000), 1_023),
    ])
    func `T3: a reply quotes whole characters of at most 1,024 bytes of its parent's text`(text: String, bytes: Int)
        throws
    {
        var chat = Chat()
        try chat.create(with: [bob])
        let parent = try chat.say(text)
        let reply = try chat.say("reply", by: bob, to: parent.id)
        let quoted = try #require(reply.parent?.text)
        #expect(quoted.utf8.count == bytes && text.utf8.starts(with: quoted.utf8))
        let heard = try #require(chat.heard(by: ann).last?.event.message)
        let listed = try chat.ask(
            ListMessages(channelID: general, replies: .all, includeParent: true), as: .user(ann)
        ).messages.last
        #expect([heard.parent, listed?.parent] == [reply.parent, reply.parent])
        #expect(quote(in: chat.lastRecords.first)?.text == quoted)
        #expect(try chat.ask(GetMessage(channelID: general, messageID: parent.id), as: .user(bob)).message.text == text)
    }

    @Test func `T3: a reply's record has all that it quotes, and no other message has a quote`() throws {
        var chat = Chat()
        try chat.create(with: [bob])
        let parent = try chat.say("parent")
        #expect(quote(in: chat.lastRecords.first) == nil)
        try chat.say("reply", by: bob, to: parent.id)
        #expect(
            quote(in: chat.lastRecords.first)
                == Event.Quote(kind: .text, sender: ann, createdAt: parent.createdAt, text: "parent"))
        let photo = FileID(high: 1, low: 2)
        let upload = try chat.upload(photo).file
        var files = SendMessage(channelID: general, kind: .files)
        files.files = [FileReference(id: photo), FileReference(url: "https://example.org/b")]
        files.thumbnailSizes = [ThumbnailSize(maxWidth: 10, maxHeight: 20)]
        let shown = try chat.run(files, as: .user(ann)).message
        let reply = try chat.say("reply", by: bob, to: shown.id)
        #expect(
            quote(in: chat.lastRecords.first)
                == Event.Quote(
                    kind: .files, sender: ann, createdAt: shown.createdAt, file: upload,
                    thumbnailSizes: [ThumbnailSize(maxWidth: 10, maxHeight: 20)]))
        #expect(reply.parent?.file?.thumbnails?.map(\.url) == [upload.url + "?thumbnail=10x20"])
        #expect(chat.heard(by: ann).last?.event.message?.parent == reply.parent)
        #expect(reply.parent?.file == shown.files?.first)
    }

    @Test func `T3: a reply is announced with the quote in its record, whatever the stored parent says`() throws {
        var chat = Chat()
        try chat.create(with: [bob])
        let parent = try chat.say("parent")
        try chat.say("reply", by: bob, to: parent.id)
        let last = try #require(chat.records.last)
        let other = Event.Quote(kind: .file, sender: cat, createdAt: 7, text: "other")
        let announcement = try announcement(of: chat.records.dropLast() + [try record(last, quoting: other)])
        let quoted = try #require(announcement.event.message?.parent)
        #expect(quoted.id == parent.id && quoted.state == .ok && quoted.kind == .file && quoted.text == "other")
        #expect(quoted.user?.id == cat && quoted.user?.nickname == "cat" && quoted.createdAt == 7)
        // Those who cannot see the parent get neither.
        let redacted = try #require(announcement.redacted?.message?.parent)
        #expect(redacted == MessageParent(id: parent.id, state: .unavailable))
    }

    @Test func `T3: a reply recorded by an older version quotes the stored parent as it was then`() throws {
        var chat = Chat()
        try chat.create(with: [bob])
        let parent = try chat.say(String(repeating: "a", count: 2_000))
        let reply = try chat.say("reply", by: bob, to: parent.id)
        let last = try #require(chat.records.last)
        let announcement = try announcement(of: chat.records.dropLast() + [try record(last, quoting: nil)])
        #expect(announcement.event.message?.parent == reply.parent)
        #expect(announcement.event == chat.heard(by: ann).last?.event)
    }

    @Test func `T3: a retry quotes the parent as it is now, and the announced reply does not change`() throws {
        var chat = Chat()
        try chat.create(with: [bob])
        let parent = try chat.say("before")
        let request = SendMessage(
            channelID: general, text: "reply", clientID: "c1", parentMessageID: parent.id, replyToChannel: true)
        #expect(try chat.run(request, as: .user(bob)).message.parent?.text == "before")
        try chat.run(UpdateMessage(channelID: general, messageID: parent.id, text: "after"), as: .user(ann))
        #expect(try chat.run(request, as: .user(bob)).message.parent?.text == "after")
        #expect(chat.heard(by: ann).compactMap(\.event.message?.parent?.text) == ["before"])
    }

    // MARK: Other content

    @Test func `MS8: a deletion's record names the uploads, and older records take them from the message`() throws {
        var chat = Chat()
        try chat.create()
        let photo = FileID(high: 1, low: 2)
        try chat.upload(photo)
        var files = SendMessage(channelID: general, kind: .files)
        files.files = [FileReference(url: "https://example.org/b"), FileReference(id: photo)]
        let sent = try chat.run(files, as: .user(ann)).message
        let before = chat.records
        try chat.run(DeleteMessage(channelID: general, messageID: sent.id), as: .user(ann))
        let last = try #require(chat.lastRecords.first)
        #expect(last.event == .messageDeleted(general, sent.id, files: [photo]))
        #expect(chat.removedFiles == [photo])
        func removed(_ files: [FileID]?) -> [FileID] {
            let state = ChatState()
            for record in before { state.evolve(record) }
            state.evolve(
                Record(
                    event: .messageDeleted(general, sent.id, files: files), at: last.at, by: ann,
                    positions: last.positions))
            return state.removedFiles
        }
        #expect(removed(nil) == [photo] && removed([photo]) == [photo] && removed([]) == [])
        let text = try chat.say("text")
        try chat.run(DeleteMessage(channelID: general, messageID: text.id), as: .user(ann))
        #expect(chat.lastRecords.first?.event == .messageDeleted(general, text.id, files: []))
    }

    @Test func `MS3: the first change of a message with a client id records the hash of what was sent`() throws {
        var chat = Chat()
        try chat.create()
        func hashes() -> [UInt64?] {
            chat.lastRecords.map { record in
                if case .messageUpdated(let updated) = record.event { updated.sentContent } else { nil }
            }
        }
        let request = SendMessage(channelID: general, text: "first", clientID: "c1")
        let sent = try chat.run(request, as: .user(ann)).message
        let plain = try chat.say("first")
        for id in [plain.id, sent.id] {
            let hash = id == sent.id ? StoredMessage.contentHash("first", nil, nil, nil, nil) : nil
            try chat.run(UpdateMessage(channelID: general, messageID: id, text: "second"), as: .user(ann))
            #expect(hashes() == [hash])
            let last = try #require(chat.records.last)
            try chat.run(UpdateMessage(channelID: general, messageID: id, text: "third"), as: .user(ann))
            #expect(hashes() == [nil])
            guard id == sent.id, case .messageUpdated(var updated) = last.event else { continue }
            // The record decides, not the stored content.
            let state = chat.replayed
            updated.sentContent = 1
            let other = ChatState()
            for record in chat.records {
                let changed = Record(
                    event: .messageUpdated(updated), at: record.at, by: record.by, positions: record.positions)
                other.evolve(record == last ? changed : record)
            }
            #expect(state.channels[general]?.sentContent(of: id) == hash)
            #expect(other.channels[general]?.sentContent(of: id) == 1)
        }
        #expect(try chat.run(request, as: .user(ann)).message.text == "third")
    }
}
