import ChatDomain
import ChatEngine
import ChatModel
import Gateway
import Synchronization
import Testing
import WireProtocol

/// Issue 20, B: a returning client recovered content that had been deleted in the meantime, even after a restart.
@Suite struct DeletedContentTests {
    private struct Told: Equatable {
        let offset: UInt64
        let event: TypedEvent
        let hidden: TypedEvent?
    }

    /// Returns a bench with ann and bob in general; bob receives nothing after offset 2.
    private func begin() -> Bench {
        let bench = Bench()
        bench.attach(ann)
        bench.attach(bob)
        bench.change(CreateChannel(id: general, userIDs: [bob]), as: ann)
        bench.log.sync()
        return bench
    }

    private func send(_ text: String, as user: UserID, to parent: MessageID? = nil, _ bench: Bench) throws -> MessageID
    {
        bench.change(SendMessage(channelID: general, text: text, parentMessageID: parent), as: user)
        let event = try #require(bench.log.frames.last?.first?.event)
        guard case .messageSent(let sent) = event else {
            Issue.record("no message: \(event)")
            return MessageID(high: 0, low: 0)
        }
        return sent.id
    }

    /// Returns what bob recovers after being disconnected since offset 2.
    private func recover(_ bench: Bench) throws -> [Told] {
        bench.log.sync()
        _ = bench.ear.recovered()
        bench.attach(
            bob, 9, from: [.channel(general): RoomPosition(offset: 2, epoch: bench.epoch(of: .channel(general)))])
        bench.log.sync()
        func event(_ publication: Publication) throws -> TypedEvent {
            try WireDecoder().decode(TypedEvent.self, from: JSONFields(publication.data))
        }
        return try bench.ear.recovered().map { publication in
            Told(
                offset: publication.offset, event: try event(publication.whole),
                hidden: try publication.redacted.map { _ in try event(publication.withoutHidden) })
        }
    }

    @Test func `MS8: a deleted message is recovered as a tombstone at the same offset, even after a restart`() throws {
        let bench = begin()
        let secret = try send("secret", as: ann, bench)
        let other = try send("other", as: ann, bench)
        bench.change(UpdateMessage(channelID: general, messageID: secret, text: "secret 2", data: "secret"), as: ann)
        let before = try recover(bench)
        #expect(before.map(\.event.type) == [.messageNew, .messageNew, .messageUpdated])
        #expect(before.map(\.event.message?.text) == ["secret", "other", "secret 2"])
        bench.change(DeleteMessage(channelID: general, messageID: secret), as: ann)
        let after = try recover(bench)
        let restarted = try recover(Bench(log: HandDrivenLog(frames: bench.log.frames)))
        #expect(restarted == after)
        #expect(after.map(\.offset) == [3, 4, 5, 6])
        #expect(after[1] == before[1], "other messages stay as they were")
        #expect(after[1].event.message?.id == other)
        #expect(after[3].event.type == .messageDeleted && after[3].event.messageID == secret)
        for (old, new) in [(before[0], after[0]), (before[2], after[2])] {
            var expected = old.event
            let message = try #require(expected.message)
            expected.message = Message(
                id: message.id, channelID: general, kind: .text, text: nil, user: message.user,
                createdAt: message.createdAt, deletedAt: after[3].event.at, offset: 3)
            #expect(new.event == expected)
        }
        #expect(after[2].hidden == before[2].hidden, "ids only, as before")
        #expect(!"\(after)".contains("secret"))
    }

    @Test func `MS8, T3: a reply and its quote disappear on deletion, in both forms of the event`() throws {
        let bench = begin()
        let parent = try send("parent secret", as: ann, bench)
        let reply = try send("reply secret", as: bob, to: parent, bench)
        let before = try recover(bench)
        #expect(before[1].event.message?.parent?.text == "parent secret")
        #expect(before[1].hidden?.message?.text == "reply secret")
        bench.change(DeleteMessage(channelID: general, messageID: reply), as: bob)
        let between = try recover(bench)
        #expect(between[0] == before[0])
        for event in [between[1].event, try #require(between[1].hidden)] {
            #expect(event.type == .threadReply && event.message?.deletedAt != nil)
            #expect(event.message?.parentMessageID == parent && event.message?.parent == nil)
        }
        #expect(between[1].event.thread == before[1].event.thread)
        bench.change(DeleteMessage(channelID: general, messageID: parent), as: ann)
        let after = try recover(bench)
        #expect(!"\(after)".contains("secret"))
        #expect(try recover(Bench(log: HandDrivenLog(frames: bench.log.frames))) == after)
    }

    /// Issue 20, N100: deleting a message that had been edited 950 times re-encoded 951 events, which took 41 ms.
    @Test func `MS8: a deletion costs nothing for earlier events until somebody recovers them`() throws {
        let bench = begin()
        let secret = try send("secret", as: ann, bench)
        for number in 1...100 {
            bench.change(UpdateMessage(channelID: general, messageID: secret, text: "secret \(number)"), as: ann)
        }
        bench.change(DeleteMessage(channelID: general, messageID: secret), as: ann)
        bench.log.sync()
        #expect(bench.publisher.redactedCount == 0)
        let recovered = try recover(bench)
        #expect(recovered.count == 102 && !"\(recovered)".contains("secret"))
        #expect(try recover(bench) == recovered)
        #expect(bench.publisher.redactedCount == 101, "once each")
    }

    @Test func `MS8, T3: only deleted content is removed from an event`() throws {
        let (id, quoted) = (MessageID(high: 1, low: 2), MessageID(high: 1, low: 1))
        let author = User(id: ann, nickname: "ann \"the\" secretary")
        var message = Message(
            id: id, channelID: general, kind: .file, text: "secret", user: author, createdAt: 1, updatedAt: 2,
            clientID: "secret", parentMessageID: quoted, replyToChannel: false, offset: 3,
            thread: MessageThread(channelID: general, parentMessageID: id, title: "secret"),
            reactions: [Reaction(key: "secret", count: 1, userIDs: [bob], mine: true, updatedAt: 4)],
            customType: "secret", data: "secret", mentionType: .users, mentionedUserIDs: [bob])
        message.metaArrays = ["secret": ["secret"]]
        message.targetLanguages = ["secret"]
        message.pushOption = .suppress
        message.criticalAlert = CriticalAlert(name: "secret", volume: 0.5)
        message.files = []
        let plain = message
        message.parent = MessageParent(id: quoted, state: .ok, kind: .text, text: "secret", user: author, createdAt: 1)
        let event = TypedEvent(
            type: .threadReply, at: 1, by: ann, message: message,
            thread: MessageThread(channelID: general, parentMessageID: quoted, title: "title"))
        func text(_ bytes: [UInt8]?) -> String { bytes.map { String(decoding: $0, as: UTF8.self) } ?? "none" }
        func redacted(_ event: TypedEvent, _ part: DeletedPart) -> String {
            text(part.redacting(WireEncoder().encode(event)))
        }
        var expected = event
        expected.message = Message(
            id: id, channelID: general, kind: .file, text: nil, user: author, createdAt: 1, deletedAt: 9,
            parentMessageID: quoted, replyToChannel: false, offset: 3)
        #expect(redacted(event, .message(deletedAt: 9)) == text(WireEncoder().encode(expected)))
        expected.message = plain
        expected.message?.parent = MessageParent(id: quoted, state: .notFound)
        #expect(redacted(event, .quote) == text(WireEncoder().encode(expected)))
        expected.message = plain
        #expect(redacted(expected, .quote) == text(WireEncoder().encode(expected)))
        let idsOnly = TypedEvent(type: .messageUpdated, at: 1, by: ann, channelID: general, messageID: id)
        #expect(redacted(idsOnly, .message(deletedAt: 9)) == text(WireEncoder().encode(idsOnly)))
        #expect(DeletedPart.quote.redacting(Array("secret".utf8)) == nil)
    }

    // MARK: Files

    @Test func `MS8: a deleted message's files are removed once the deletion is durable, and not again at a restart`()
        throws
    {
        let removed = Mutex<[FileID]>([])
        let bench = Bench(removeFiles: { ids in removed.withLock { $0 += ids } })
        let file = FileID(high: 1, low: 2)
        bench.attach(ann)
        bench.change(CreateChannel(id: general), as: ann)
        bench.change(
            RegisterFile(id: file, channelID: general, name: "a", size: 1, mimeType: "image/png"), as: ann)
        var send = SendMessage(channelID: general, kind: .file)
        send.files = [FileReference(id: file)]
        bench.change(send, as: ann)
        guard case .messageSent(let sent)? = bench.log.frames.last?.first?.event else { throw Rejection(.internal) }
        bench.log.sync()
        bench.change(DeleteMessage(channelID: general, messageID: sent.id), as: ann)
        #expect(removed.withLock(\.self) == [], "a crash before the sync leaves the message with its file")
        bench.log.sync()
        #expect(removed.withLock(\.self) == [file])
        _ = Bench(log: HandDrivenLog(frames: bench.log.frames), removeFiles: { ids in removed.withLock { $0 += ids } })
        #expect(removed.withLock(\.self) == [file], "a start clears the folder of all that the chat does not know")
    }

    @Test func `MS1: unsent uploads are removed in time without any command`() {
        let now = Mutex<Int64>(1_780_000_000_000)
        let removed = Mutex<Int>(0)
        let bench = Bench(
            removeFiles: { ids in removed.withLock { $0 += ids.count } }, clock: { now.withLock(\.self) })
        bench.attach(ann)
        bench.change(CreateChannel(id: general), as: ann)
        for number in 0..<100 as Range<UInt64> {
            bench.change(
                RegisterFile(
                    id: FileID(high: 1, low: number), channelID: general, name: "a", size: 1, mimeType: "image/png"),
                as: ann)
        }
        func look() {
            bench.engine.expireFilesNow()
            bench.settle()
            bench.log.sync()
        }
        bench.log.sync()
        look()
        #expect(removed.withLock(\.self) == 0)
        now.withLock { $0 += 86_400_000 }
        bench.log.fill()
        look()
        #expect(removed.withLock(\.self) == 0, "without space in the log there is another look")
        bench.log.empty()
        look()
        #expect(removed.withLock(\.self) == 100)
        let frames = bench.log.frames.count
        look()
        #expect(bench.log.frames.count == frames && bench.log.reserved == 0)
    }

    // MARK: Frames

    /// Issue 20, A1: events too large for a frame trapped when written, after they had happened.
    @Test func `a command whose events do not fit into one frame is refused and has no effect`() {
        let bench = begin()
        bench.log.limitFrames(to: 0)
        _ = bench.ear.news()
        bench.change(SendMessage(channelID: general, text: "x"), as: ann, 5)
        bench.query(GetUnreadCounts(), as: bob, 6)
        #expect(bench.ear.news() == ["answer 5 1031", "answer 6"])
        #expect(bench.log.reserved == 0)
        bench.log.limitFrames(to: .max)
        bench.change(SendMessage(channelID: general, text: "x"), as: ann, 7)
        bench.log.sync()
        #expect(bench.ear.news() == ["general 3 message.new", "answer 7"])
    }
}
