import ChatModel
import Testing

@testable import ChatDomain

private let photo = FileID(high: 1, low: 2)
private let report = FileID(high: 3, low: 4)

extension Chat {
    @discardableResult
    mutating func upload(
        _ id: FileID = photo, by user: UserID = ann, to channel: ChannelID = general, type: String = "image/png"
    ) throws -> RegisterFile.Response {
        try run(
            RegisterFile(id: id, channelID: channel, name: "a b/ü.png", size: 7, mimeType: type), as: .user(user))
    }
}

/// Covers `MS1`.
@Suite struct FileMessageTests {
    private func message(
        _ kind: MessageKind, _ files: [FileReference]?, _ change: (inout SendMessage) -> Void = { _ in }
    ) -> SendMessage {
        var request = SendMessage(channelID: general, clientID: "c1", kind: kind)
        request.files = files
        change(&request)
        return request
    }
    private let elsewhere = FileReference(
        url: "https://example.org/a.pdf", name: "a.pdf", size: 9, mimeType: "application/pdf")

    @Test func `MS1: uploaded and external files are shown to everyone`() throws {
        var chat = Chat()
        try chat.create(with: [bob])
        let upload = try chat.upload().file
        #expect(upload.url == "/v1/files/00000000000000010000000000000002/a%20b%2F%C3%BC.png")
        // A client may send back everything it received; only the upload's properties count.
        let request = message(
            .files, [FileReference(id: photo, url: "javascript:", name: "x", size: -1), elsewhere]
        ) { $0.thumbnailSizes = [ThumbnailSize(maxWidth: 10, maxHeight: 20)] }
        let sent = try chat.run(request, as: .user(ann)).message
        let got = try chat.ask(GetMessage(channelID: general, messageID: sent.id), as: .user(bob)).message
        for view in [sent, got, try #require(chat.heard(by: bob).last?.event.message)] {
            #expect(view.kind == .files && view.text == nil)
            let files = try #require(view.files)
            #expect(files[0].id == photo && files[0].name == "a b/ü.png" && files[0].size == 7)
            #expect(files[0].mimeType == "image/png")
            let url = upload.url + "?thumbnail=10x20"
            #expect(files[0].thumbnails == [Thumbnail(maxWidth: 10, maxHeight: 20, url: url)])
            #expect(
                files[1]
                    == MessageFile(
                        url: "https://example.org/a.pdf", name: "a.pdf", size: 9, mimeType: "application/pdf"))
        }
    }

    @Test(
        arguments: [
            (.file, nil, .invalidValue), (.file, 0, .invalidValue), (.file, 1, nil), (.file, 2, .tooMany),
            (.files, 0, .invalidValue), (.files, 1, nil), (.files, 20, nil), (.files, 21, .tooMany),
            (.text, 1, .invalidValue), (.text, nil, nil), (.admin, 1, .serverOnly),
        ] as [(MessageKind, Int?, ErrorCode?)])
    func `MS1: a message of kind file has one file, of kind files up to 20, and of other kinds none`(
        kind: MessageKind, count: Int?, refusal: ErrorCode?
    ) throws {
        var chat = Chat()
        try chat.create()
        let request = message(kind, count.map { Array(repeating: elsewhere, count: $0) }) {
            if kind == .text { $0.text = "x" }
        }
        #expect(chat.refusal(of: request, as: .user(ann)) == refusal)
        #expect(chat.refusal(of: message(kind, [elsewhere]), as: .server) != nil, "the app itself sends no files")
    }

    @Test(
        arguments: [
            (FileReference(), .invalidValue), (FileReference(url: "http://a"), nil),
            (FileReference(url: "ftp://a"), .invalidValue), (FileReference(url: "/v1/files/x"), .invalidValue),
            (FileReference(url: "https://" + String(repeating: "a", count: 2_040)), nil),
            (FileReference(url: "https://" + String(repeating: "a", count: 2_041)), .tooLong),
            (FileReference(url: "https://a\u{7}"), .invalidValue),
            (FileReference(url: "http://a", name: String(repeating: "é", count: 200)), nil),
            (FileReference(url: "http://a", name: String(repeating: "é", count: 201)), .tooLong),
            (FileReference(url: "http://a", name: "a\u{202E}gpj.exe"), .invalidValue),
            (FileReference(url: "http://a", size: 0), nil), (FileReference(url: "http://a", size: -1), .invalidValue),
            (FileReference(url: "http://a", size: .max), nil),
            (FileReference(url: "http://a", mimeType: "a/b"), nil),
            (FileReference(url: "http://a", mimeType: "a"), .invalidValue),
            (FileReference(url: "http://a", mimeType: "a/b; c"), .invalidValue),
            (FileReference(url: "http://a", mimeType: "a/"), .invalidValue),
            (FileReference(url: "http://a", mimeType: "a/" + String(repeating: "b", count: 126)), .tooLong),
            (FileReference(id: photo), .fileRejected),
        ] as [(FileReference, ErrorCode?)])
    func `MS1: file properties beyond their limits are refused`(file: FileReference, refusal: ErrorCode?) throws {
        var chat = Chat()
        try chat.create()
        #expect(chat.refusal(of: message(.file, [file]), as: .user(ann)) == refusal)
    }

    @Test func `MS1: file messages have no text, and up to three thumbnails of limited size`() throws {
        var chat = Chat()
        try chat.create()
        func refusal(_ change: (inout SendMessage) -> Void) -> ErrorCode? {
            chat.refusal(of: message(.file, [elsewhere], change), as: .user(ann))
        }
        #expect(refusal { $0.text = "caption" } == .invalidValue)
        for (count, expected) in [(4, ErrorCode.tooMany), (3, nil)] {
            let sizes = Array(repeating: ThumbnailSize(maxWidth: 1, maxHeight: 4_096), count: count)
            #expect(refusal { ($0.thumbnailSizes, $0.clientID) = (sizes, nil) } == expected)
        }
        for side in [0, 4_097, -1, .min] {
            #expect(refusal { $0.thumbnailSizes = [ThumbnailSize(maxWidth: side, maxHeight: 1)] } == .invalidValue)
            #expect(refusal { $0.thumbnailSizes = [ThumbnailSize(maxWidth: 1, maxHeight: side)] } == .invalidValue)
        }
        var text = SendMessage(channelID: general, text: "x")
        text.thumbnailSizes = [ThumbnailSize(maxWidth: 1, maxHeight: 1)]
        #expect(chat.refusal(of: text, as: .user(ann)) == .invalidValue)
    }

    @Test func `MS1: an upload can be sent only by its owner, in its channel and in one message`() throws {
        var chat = Chat()
        try chat.create(with: [bob])
        try chat.create("other")
        try chat.upload()
        let request = message(.file, [FileReference(id: photo)])
        #expect(chat.refusal(of: request, as: .user(bob)) == .fileRejected)
        #expect(
            chat.refusal(of: message(.file, [FileReference(id: photo)]) { $0.channelID = "other" }, as: .user(ann))
                == .fileRejected)
        #expect(
            chat.refusal(of: message(.files, [FileReference(id: photo), FileReference(id: photo)]), as: .user(ann))
                == .invalidValue)
        let sent = try chat.run(request, as: .user(ann)).message
        #expect(try chat.run(request, as: .user(ann)).message == sent, "sending again is the same (MS3)")
        #expect(
            chat.refusal(of: message(.file, [FileReference(id: photo)]) { $0.clientID = nil }, as: .user(ann))
                == .fileRejected
        )
        #expect(chat.refusal(of: message(.file, [elsewhere]), as: .user(ann)) == .clientIDConflict)
        try chat.run(DeleteMessage(channelID: general, messageID: sent.id), as: .user(ann))
        #expect(chat.refusal(of: request, as: .user(ann)) == .messageDeleted)
    }

    @Test(arguments: [(-1, nil), (0, .fileRejected)] as [(Int64, ErrorCode?)])
    func `MS1: a message can use an upload for up to a day`(more: Int64, refusal: ErrorCode?) throws {
        var chat = Chat()
        try chat.create()
        try chat.upload()
        chat.now += 86_400_000 + more - chat.step
        #expect(chat.refusal(of: message(.file, [FileReference(id: photo)]), as: .user(ann)) == refusal)
    }

    @Test
    func `MS1, MS4: the file filter matches messages of both kinds, the files filter only those of kind files`() throws
    {
        var chat = Chat()
        try chat.create()
        try chat.say("text")
        try chat.run(message(.file, [elsewhere]) { $0.clientID = nil }, as: .user(ann))
        try chat.run(message(.files, [elsewhere]) { $0.clientID = nil }, as: .user(ann))
        func kinds(_ kind: MessageKind) throws -> [MessageKind] {
            try chat.ask(ListMessages(channelID: general, kind: kind), as: .user(ann)).messages.map(\.kind)
        }
        #expect(try kinds(.file) == [.file, .files])
        #expect(try kinds(.files) == [.files])
        #expect(try kinds(.text) == [.text])
    }

    @Test
    func `MS1, T2, R4: file messages can be replied to, quoted, reacted to, and changed except for their text`() throws
    {
        var chat = Chat()
        try chat.create(with: [bob])
        let sent = try chat.run(message(.file, [elsewhere]), as: .user(ann)).message
        let reply = try chat.say("nice", by: bob, to: sent.id)
        #expect(reply.parent?.file?.name == "a.pdf" && reply.parent?.kind == .file && reply.parent?.text == nil)
        try chat.run(AddReaction(channelID: general, messageID: sent.id, key: "sob"), as: .user(bob))
        let update = UpdateMessage(channelID: general, messageID: sent.id, data: "{}")
        let changed = try chat.run(update, as: .user(ann)).message
        #expect(changed.data == "{}" && changed.files == sent.files)
        let text = UpdateMessage(channelID: general, messageID: sent.id, text: "x")
        #expect(chat.refusal(of: text, as: .user(ann)) == .wrongMessageKind)
    }

    // MARK: Who may have a file

    private func has(_ user: UserID, _ id: FileID = photo, in chat: inout Chat) -> Bool {
        let refusal = chat.refusal(of: GetFile(id: id), as: .user(user))
        #expect(refusal == nil || refusal == .notFound)
        return refusal == nil
    }

    @Test
    func `MS1, CH7: an upload is visible only to its owner until sent, then to everyone who sees the message`() throws {
        var settings = ChatSettings()
        settings.historyVisibleToNewcomers = false
        var chat = Chat(settings: settings)
        try chat.create(with: [bob])
        try chat.upload()
        #expect(has(ann, in: &chat) && !has(bob, in: &chat) && !has(cat, in: &chat))
        let sent = try chat.run(message(.file, [FileReference(id: photo)]), as: .user(ann)).message
        _ = try chat.invite([cat])
        #expect(has(ann, in: &chat) && has(bob, in: &chat) && !has(cat, in: &chat) && !has(dan, in: &chat))
        #expect(chat.refusal(of: GetFile(id: photo), as: .server) == nil)
        try chat.run(LeaveChannel(channelID: general), as: .user(ann))
        #expect(!has(ann, in: &chat) && has(bob, in: &chat))
        try chat.run(DeleteMessage(channelID: general, messageID: sent.id), as: .server)
        #expect(!has(bob, in: &chat))
        #expect(chat.refusal(of: GetFile(id: photo), as: .server) == .notFound)
        #expect(chat.state.fileIDs.isEmpty && chat.replayed.fileIDs.isEmpty)
    }

    @Test
    func `MS1, CH7: thumbnails are visible to everyone who can load the image, in the sizes named in its message`()
        throws
    {
        var settings = ChatSettings()
        settings.historyVisibleToNewcomers = false
        var chat = Chat(settings: settings)
        try chat.create(with: [bob])
        try chat.upload()
        try chat.upload(report, type: "image/gif")
        let named = ThumbnailSize(maxWidth: 10, maxHeight: 20)
        func refusal(_ caller: Caller, _ id: FileID = photo, _ size: ThumbnailSize? = nil) -> ErrorCode? {
            chat.refusal(of: GetThumbnail(id: id, size: size ?? named), as: caller)
        }
        #expect(refusal(.user(ann)) == .notFound, "no message names a size yet")
        let files = [FileReference(id: photo), FileReference(id: report)]
        try chat.run(message(.files, files) { $0.thumbnailSizes = [named] }, as: .user(ann))
        _ = try chat.invite([cat])
        #expect(refusal(.user(ann)) == nil && refusal(.user(bob)) == nil && refusal(.server) == nil)
        #expect(refusal(.user(cat)) == .notFound && refusal(.user(dan)) == .notFound)
        #expect(refusal(.user(bob), photo, ThumbnailSize(maxWidth: 20, maxHeight: 10)) == .notFound)
        #expect(refusal(.user(bob), report) == .notFound, "of PNG and JPEG alone")
        #expect(refusal(.user(bob), FileID(high: 7, low: 7)) == .notFound)
    }

    @Test func `MS1, CH14: deleting a channel deletes its files`() throws {
        var chat = Chat()
        try chat.create()
        try chat.upload()
        try chat.run(DeleteChannel(channelID: general), as: .server)
        #expect(chat.removedFiles == [photo])
        #expect(!has(ann, in: &chat) && chat.state.fileIDs.isEmpty)
        try chat.create("other")
        try chat.upload(report, to: "other")
        #expect(chat.removedFiles.isEmpty)
    }

    /// Issue 20, B: files stayed on disk until the next upload or restart.
    @Test func `MS8: deleting a message immediately deletes its files and no others`() throws {
        var chat = Chat()
        try chat.create(with: [bob])
        try chat.upload()
        try chat.upload(report)
        let sent = try chat.run(message(.file, [FileReference(id: photo)]), as: .user(ann)).message
        try chat.run(message(.file, [FileReference(id: report)]) { $0.clientID = "c2" }, as: .user(ann))
        #expect(chat.removedFiles.isEmpty)
        try chat.run(DeleteMessage(channelID: general, messageID: sent.id), as: .user(ann))
        #expect(chat.removedFiles == [photo])
        #expect(chat.state.fileIDs == [report] && chat.replayed.fileIDs == [report])
        try chat.say("next")
        #expect(chat.removedFiles.isEmpty, "they are told once")
    }

    @Test func `MS1: an upload that is not sent within a day is removed`() throws {
        var chat = Chat()
        try chat.create()
        try chat.upload()
        chat.now += 86_400_000
        #expect(!has(ann, in: &chat))
        try chat.upload(report)
        #expect(chat.state.expiredFiles(at: chat.now) == [photo])
        chat.sweepFiles()
        #expect(chat.removedFiles == [photo])
        #expect(chat.state.fileIDs == [report] && chat.replayed.fileIDs == [report])
    }

    @Test func `MS1, MS9: a user who cannot send cannot upload, and pending uploads are limited`() throws {
        var chat = Chat()
        try chat.create(with: [bob], isPublic: true)
        func refusal(_ user: UserID) -> ErrorCode? {
            let first = chat.refusal(of: PrepareUpload(channelID: general), as: .user(user))
            let request = RegisterFile(id: photo, channelID: general, name: "a", size: 1, mimeType: "a/b")
            #expect(chat.refusal(of: request, as: .user(user)) == first)
            return first
        }
        #expect(refusal(cat) == .notAMember)
        #expect(chat.refusal(of: PrepareUpload(channelID: general), as: .server) == .badRequest)
        try chat.run(MuteMember(channelID: general, userID: bob), as: .server)
        #expect(refusal(bob) == .muted)
        try chat.run(FreezeChannel(channelID: general), as: .server)
        #expect(refusal(ann) == .channelFrozen)
        try chat.run(UnfreezeChannel(channelID: general), as: .server)
        for number in 0..<100 { try chat.upload(FileID(high: 9, low: UInt64(number))) }
        #expect(refusal(ann) == .tooMany)
        chat.now += 86_400_000
        try chat.upload()
        #expect(chat.state.expiredFiles(at: chat.now).count == 100, "all have waited a day")
    }

    // MARK: Quota

    /// Issue 20, A6: one user filled the disk.
    @Test func `MS1: each user's stored uploads have a byte quota, and deleting an upload frees its bytes`() throws {
        var settings = ChatSettings()
        settings.fileBytesPerUser = 10
        var chat = Chat(settings: settings)
        try chat.create(with: [bob])
        try chat.create("other")
        func refusal(_ size: Int64, _ user: UserID = ann, in channel: ChannelID = general) -> Rejection? {
            let prepared = chat.rejection(of: PrepareUpload(channelID: channel, size: size), as: .user(user))
            let request = RegisterFile(id: report, channelID: channel, name: "a", size: size, mimeType: "a/b")
            #expect(chat.rejection(of: request, as: .user(user)) == prepared)
            return prepared
        }
        #expect(refusal(11)?.code == .fileRejected)
        #expect(refusal(11)?.detail == "0 of 10 bytes are in use (files.bytes_per_user)")
        #expect(refusal(.max)?.code == .fileRejected)
        try chat.upload()
        let sent = try chat.run(message(.file, [FileReference(id: photo)]), as: .user(ann)).message
        #expect(refusal(4)?.detail == "7 of 10 bytes are in use (files.bytes_per_user)")
        #expect(refusal(4, in: "other")?.code == .fileRejected, "over all channels")
        #expect(chat.refusal(of: PrepareUpload(channelID: general, size: 10), as: .user(bob)) == nil)
        #expect(chat.refusal(of: PrepareUpload(channelID: general, size: 3), as: .user(ann)) == nil)
        // The count is the same after a restart.
        let again = ChatState()
        chat.state.parts { part in _ = try? again.load(part) }
        #expect(again.files.bytes(of: ann) == 7 && chat.replayed.files.bytes(of: ann) == 7)
        try chat.run(DeleteMessage(channelID: general, messageID: sent.id), as: .user(ann))
        #expect(refusal(10) == nil)
    }

    // MARK: Ephemeral channels

    /// Issue 20, B: only the sender could load a sent file.
    @Test func `CH5: members of an ephemeral channel can load its files for as long as uploads are kept`() throws {
        var chat = Chat()
        try chat.run(CreateChannel(id: general, userIDs: [bob, dan], isEphemeral: true), as: .user(ann))
        try chat.upload()
        let request = message(.file, [FileReference(id: photo)]) {
            $0.thumbnailSizes = [ThumbnailSize(maxWidth: 10, maxHeight: 20)]
        }
        let sent = try chat.run(request, as: .user(ann)).message
        let file = try #require(sent.files?.first)
        #expect(file.thumbnails == [Thumbnail(maxWidth: 10, maxHeight: 20, url: file.url)], "the image stands for them")
        #expect(try #require(chat.heard(by: bob).last?.event.message) == sent)
        try chat.run(LeaveChannel(channelID: general), as: .user(dan))
        #expect(has(ann, in: &chat) && has(bob, in: &chat) && !has(cat, in: &chat) && !has(dan, in: &chat))
        #expect(chat.refusal(of: request, as: .user(ann)) == nil, "it can be sent again, as it is kept by no message")
        chat.now += 86_400_000
        #expect(!has(ann, in: &chat) && !has(bob, in: &chat))
        #expect(chat.refusal(of: request, as: .user(ann)) == .fileRejected)
        chat.sweepFiles()
        #expect(chat.removedFiles == [photo])
    }

    @Test func `CH5: files in ephemeral channels have a separate limit`() throws {
        var chat = Chat()
        try chat.create()
        try chat.run(CreateChannel(id: "passing", isEphemeral: true), as: .user(ann))
        for number in 0..<1_000 { try chat.upload(FileID(high: 9, low: UInt64(number)), to: "passing") }
        #expect(chat.refusal(of: PrepareUpload(channelID: "passing"), as: .user(ann)) == .tooMany)
        #expect(chat.refusal(of: PrepareUpload(channelID: general), as: .user(ann)) == nil)
        chat.now += 86_400_000
        #expect(chat.refusal(of: PrepareUpload(channelID: "passing"), as: .user(ann)) == nil)
    }
}

@Suite struct FileIDTests {
    @Test(arguments: [
        ("00000000000000010000000000000002", true), ("ffffffffffffffffffffffffffffffff", true),
        ("0000000000000001000000000000000", false), ("000000000000000100000000000000021", false),
        ("FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF", false), ("../../../../../../../etc/passwd0", false), ("", false),
    ])
    func `MS1: a file id is accepted only in its canonical form`(text: String, isID: Bool) {
        #expect(FileID(text)?.description == (isID ? text : nil))
    }
}
