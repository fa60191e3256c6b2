import ChatModel
import TestSupport
import Testing

@testable import ChatDomain

/// Records contain all that their announcements need of messages: no other message's content is looked up.
@Suite struct WordingTests {
    /// What everyone gets to know of a record.
    private struct Announced: Equatable {
        var events: [TypedEvent] = []
        var redacted: [TypedEvent?] = []
        var hidesBefore: [UInt64] = []
        var pushes: [Message] = []
        var recipients: [[PushNotice.Recipient]] = []
        var removedFiles: [FileID] = []
    }

    /// A chat that keeps no message's content once the message is announced.
    private struct ForgetfulChat {
        let state = ChatState()
        var forgets = true

        func announce(_ record: Record) -> Announced {
            state.evolve(record)
            var announced = Announced()
            for effect in state.effects(of: record, ChatSettings()) {
                switch effect {
                case .announce(let announcement):
                    announced.events.append(announcement.event)
                    announced.redacted.append(announcement.redacted)
                    announced.hidesBefore.append(announcement.hidesBefore)
                case .transient(_, let event, _): announced.events.append(event)
                case .pushing(let search):
                    let notices = search.notices(in: state)
                    announced.pushes += notices.map(\.message)
                    announced.recipients += notices.map(\.recipients)
                case .filesRemoved(let files): announced.removedFiles += files
                default: break
                }
            }
            if forgets { forget(record) }
            return announced
        }

        /// Overwrites a message's content, except what is kept in memory with its position: its mentions.
        private func forget(_ record: Record) {
            let forgotten: Event.MessageUpdated
            switch record.event {
            case .messageSent(let sent):
                forgotten = .init(channel: sent.channel, id: sent.id, text: "forgotten", mentions: sent.mentions)
            case .messageUpdated(let updated):
                forgotten = .init(
                    channel: updated.channel, id: updated.id, text: "forgotten", mentions: updated.mentions)
            default: return
            }
            state.evolve(Record(event: .messageUpdated(forgotten), at: record.at, by: nil, positions: []))
        }
    }

    private static let people: [UserID] = [ann, bob, cat, dan]

    /// Returns the records of a random history with messages of all kinds.
    private func history(seed: UInt64) throws -> [Record] {
        var random = SeededGenerator(seed: seed)
        var settings = ChatSettings()
        settings.historyVisibleToNewcomers = false
        settings.markAsUnread = true
        var chat = Chat(Self.people, settings: settings, seed: seed)
        try chat.run(
            SetWebhook(
                id: "a", url: "https://app.example", events: .types(["push"]), secret: "0123456789abcdef01234567"),
            as: .server)
        for user in Self.people {
            try chat.run(RegisterDevice(provider: .fcm, token: "of \(user)"), as: .user(user))
        }
        try chat.create(with: [bob, cat])
        var messages: [MessageID] = []
        for step in 0..<150 {
            if step == 50 { _ = try chat.invite([dan]) }
            act(step, messages, &chat, &random)
            for record in chat.lastRecords {
                if case .messageSent(let sent) = record.event { messages.append(sent.id) }
            }
        }
        return chat.records
    }

    private func act(_ step: Int, _ messages: [MessageID], _ chat: inout Chat, _ random: inout SeededGenerator) {
        let user = Caller.user(random.pick(Self.people))
        let target = messages.isEmpty ? nil : random.pick(messages)
        guard let target, random.chance(percent: 60) else {
            var send = SendMessage(
                channelID: general, text: "m\(step)" + String(repeating: "é", count: random.pick([0, 9, 700])),
                clientID: random.chance(percent: 50) ? "c\(step)" : nil)
            if random.chance(percent: 30) { send.mentionedUserIDs = [bob] }
            if random.chance(percent: 50) { send.parentMessageID = target }
            if random.chance(percent: 30) {
                let id = FileID(high: UInt64(step), low: 1)
                let upload = RegisterFile(id: id, channelID: general, name: "a.png", size: 1, mimeType: "image/png")
                if chat.refusal(of: upload, as: user) == nil {
                    (send.text, send.kind, send.files) = (nil, .file, [FileReference(id: id)])
                    send.thumbnailSizes = [ThumbnailSize(maxWidth: 8, maxHeight: 8)]
                }
            }
            _ = chat.refusal(of: send, as: user)
            return
        }
        switch Int.random(in: 0..<9, using: &random) {
        case 0:
            _ = chat.refusal(of: UpdateMessage(channelID: general, messageID: target, data: "d\(step)"), as: user)
        case 1: _ = chat.refusal(of: DeleteMessage(channelID: general, messageID: target), as: user)
        case 2: _ = chat.refusal(of: AddReaction(channelID: general, messageID: target, key: "sob"), as: user)
        case 3: _ = chat.refusal(of: RemoveReaction(channelID: general, messageID: target, key: "sob"), as: user)
        case 4:
            _ = chat.refusal(
                of: UpdateThread(channelID: general, parentMessageID: target, title: "t\(step)"), as: user)
        case 5: _ = chat.refusal(of: HideChannel(channelID: general), as: user)
        case 6: _ = chat.refusal(of: ResetHistory(channelID: general), as: user)
        case 7: _ = chat.refusal(of: MarkRead(channelID: general), as: user)
        default: _ = chat.refusal(of: MarkUnread(channelID: general, messageID: target), as: user)
        }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `every record is announced alike, whether or not other messages' content is still known`(seed: UInt64) throws {
        let (remembering, forgetful) = (ForgetfulChat(forgets: false), ForgetfulChat())
        for record in try history(seed: seed) {
            #expect(forgetful.announce(record) == remembering.announce(record), "seed \(seed): \(record.event)")
        }
    }

    /// Shows that the test above looks at what it should: records of version 4 fail it.
    @Test func `records of older versions need the content of other messages`() throws {
        var needed: Set<EventType> = []
        var removals = 0
        for seed in 1...5 as ClosedRange<UInt64> {
            let (remembering, forgetful) = (ForgetfulChat(forgets: false), ForgetfulChat())
            for record in try history(seed: seed) {
                let older: Event
                switch record.event {
                case .messageSent(var sent):
                    sent.quote = nil
                    older = .messageSent(sent)
                case .messageDeleted(let channel, let message, _): older = .messageDeleted(channel, message)
                case let event: older = event
                }
                let record = Record(event: older, at: record.at, by: record.by, positions: record.positions)
                let (known, forgotten) = (remembering.announce(record), forgetful.announce(record))
                for (a, b) in zip(known.events, forgotten.events) where a != b { needed.insert(a.type) }
                if known.removedFiles != forgotten.removedFiles { removals += 1 }
            }
        }
        #expect(needed == [.threadReply] && removals > 0)
    }
}
