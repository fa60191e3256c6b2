import ChatDomain
import ChatEngine
import ChatModel
import Gateway
import Synchronization
import Testing
import WireProtocol

/// Issue 20, B: whoever came back was told what had been deleted meanwhile, also after a restart.
@Suite struct DeletedContentTests {
    private struct Told: Equatable {
        let offset: UInt64
        let event: TypedEvent
        let hidden: TypedEvent?
    }

    /// Ann and bob live in general; bob hears nothing from offset 2 on.
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

    /// What bob is told who has been away since offset 2.
    private func recover(_ bench: Bench) throws -> [Told] {
        bench.log.sync()
        _ = bench.ear.recovered()
        bench.attach(
            bob, 9, from: [.channel(general): StreamPosition(offset: 2, epoch: bench.epoch(of: .channel(general)))])
        bench.log.sync()
        func event(_ publication: EncodedPublication) throws -> TypedEvent {
            try WireDecoder().decode(TypedEvent.self, from: JSONFields(publication.data))
        }
        return try bench.ear.recovered().map { publication in
            Told(
                offset: publication.offset, event: try event(publication.whole),
                hidden: try publication.redacted.map { _ in try event(publication.withoutHidden) })
        }
    }

    @Test func `MS8: a deleted message is recovered as a tombstone under the same offset, also after a restart`() throws
    {
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

    @Test func `MS8, T3: a reply and what it quotes go with their own deletion, in both forms of the event`() throws {
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

    @Test func `T3: a quote of a deleted message is that of one which is not there`() throws {
        let quoted = MessageID(high: 1, low: 1)
        var message = Message(
            id: MessageID(high: 1, low: 2), channelID: general, kind: .text, text: "reply", user: nil, createdAt: 1,
            parentMessageID: quoted, offset: 3)
        message.parent = MessageParent(id: quoted, state: .ok, kind: .text, text: "secret", createdAt: 1)
        let event = TypedEvent(type: .threadReply, at: 1, by: ann, message: message)
        let redacted = event.redacting(quoted, deletedAt: 9)
        #expect(redacted.message?.text == "reply" && redacted.message?.deletedAt == nil)
        #expect(redacted.message?.parent == MessageParent(id: quoted, state: .notFound))
        #expect(event.redacting(MessageID(high: 7, low: 7), deletedAt: 9) == event)
    }

    // MARK: Files

    @Test func `MS8: files of a deleted message are removed once the deletion is durable, and not again at a restart`()
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

    @Test func `MS1: uploads that nobody has sent in time are removed without anybody's command`() {
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
            bench.engine.lookAtFilesNow()
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

    /// Issue 20, A1: what would not fit into a frame trapped when it was written down, after it had happened.
    @Test func `a command whose events fit into no frame is refused, and nothing of it happens`() {
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
