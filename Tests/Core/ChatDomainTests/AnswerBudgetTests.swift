import ChatModel
import Testing
import WireProtocol

@testable import ChatDomain

/// No response exceeds 1 MiB, whatever it contains.
@Suite struct AnswerBudgetTests {
    private static let mebibyte = 1_048_576
    /// Text that takes six bytes of JSON per stored byte.
    private let controls = String(repeating: "\u{1}", count: FieldLimits.textBytes)

    private func size(_ answer: some Encodable) -> Int { WireEncoder().encode(answer).count }

    private func large() throws -> Chat {
        var chat = Chat()
        try chat.create()
        for _ in 0..<40 { try chat.run(SendMessage(channelID: general, text: controls), as: .user(ann)) }
        return chat
    }

    @Test func `a page of large messages ends early, and the pages together return all of them`() throws {
        var chat = try large()
        var list = ListMessages(channelID: general, limit: 100)
        var seen: [MessageID] = []
        var pages = 0
        while true {
            let page = try chat.ask(list, as: .user(ann))
            #expect(size(page) < Self.mebibyte)
            seen = page.messages.map(\.id) + seen
            pages += 1
            guard let next = page.next else { break }
            list.next = .token(next)
        }
        #expect(seen.count == 40)
        #expect(Set(seen).count == 40)
        #expect(seen == seen.sorted())
        #expect(pages > 3)
    }

    @Test func `around an anchor, each side gets its share of the page`() throws {
        var chat = try large()
        let all = try chat.ask(ListMessages(channelID: general, limit: 5), as: .user(ann)).messages
        let anchor = try #require(all.first)
        var list = ListMessages(channelID: general)
        (list.messageID, list.previous, list.next) = (anchor.id, 100, .size(100))
        let page = try chat.ask(list, as: .user(ann))
        #expect(size(page) < Self.mebibyte)
        #expect(page.messages.contains { $0.id == anchor.id })
        #expect(page.messages.contains { $0.id > anchor.id })
        #expect(page.messages.contains { $0.id < anchor.id })
        #expect(page.hasPrevious)
        #expect(!page.hasNext)
    }

    @Test func `many messages with the same timestamp do not make a page exceed the size limit`() throws {
        var chat = Chat()
        chat.step = 0
        try chat.create()
        for _ in 0..<40 { try chat.run(SendMessage(channelID: general, text: controls), as: .user(ann)) }
        var list = ListMessages(channelID: general)
        (list.at, list.previous, list.next) = (chat.now, 1, .size(1))
        let page = try chat.ask(list, as: .user(ann))
        #expect(size(page) < Self.mebibyte)
        #expect(page.hasNext)
    }

    @Test func `T6: a list of threads with large replies ends early, and its pages return every thread once`() throws {
        var chat = Chat()
        try chat.create()
        for _ in 0..<6 {
            let parent = try chat.run(SendMessage(channelID: general, text: "parent"), as: .user(ann)).message
            for _ in 0..<12 {
                try chat.run(
                    SendMessage(channelID: general, text: controls, parentMessageID: parent.id), as: .user(ann))
            }
        }
        var seen: [MessageID] = []
        var list = ListThreads(limit: 100, replyLimit: 100)
        while true {
            let page = try chat.ask(list, as: .user(ann))
            #expect(size(page) < 2 * Self.mebibyte)
            #expect(page.threads.allSatisfy { !$0.replies.isEmpty && $0.replies.last?.id != nil })
            seen += page.threads.map(\.parent.id)
            guard let next = page.next else { break }
            list.next = next
        }
        #expect(seen == seen.sorted(by: >))
        #expect(seen.count == 6)
        let first = try #require(seen.first)
        let entry = try chat.ask(
            GetThread(channelID: general, parentMessageID: first, replyLimit: 100), as: .user(ann))
        #expect(size(entry) < Self.mebibyte)
        #expect(entry.thread.replyCount == 12)
        #expect((1..<12).contains(entry.replies.count))
    }

    @Test func `channels with large metadata are listed a few at a time`() throws {
        var chat = Chat()
        let value = String(repeating: "\u{1}", count: FieldLimits.metadataValueBytes)
        let metadata = Dictionary(uniqueKeysWithValues: (0..<FieldLimits.metadataKeys).map { ("key \($0)", value) })
        for number in 0..<8 {
            let id = try #require(ChannelID("c\(number)"))
            try chat.run(CreateChannel(id: id, isPublic: true, metadata: metadata), as: .user(ann))
        }
        var list = ListPublicChannels(limit: 100, includeEmpty: true)
        var seen: [ChannelID] = []
        while true {
            let page = try chat.ask(list, as: .user(bob))
            #expect(size(page) < Self.mebibyte)
            seen += page.channels.map(\.id)
            guard let next = page.next else { break }
            list.next = next
        }
        #expect(Set(seen).count == 8)
        #expect(seen.count == 8)
    }

    @Test func `US1: as many large profiles as fit are returned in full, the rest without metadata`() throws {
        var chat = Chat()
        let value = String(repeating: "\u{1}", count: FieldLimits.metadataValueBytes)
        let metadata = Dictionary(uniqueKeysWithValues: (0..<FieldLimits.metadataKeys).map { ("key \($0)", value) })
        let url = "https://" + String(repeating: "\"", count: FieldLimits.urlBytes - 8)
        let users = (0..<FieldLimits.usersPerUpsert).compactMap {
            UserID(String(repeating: "\"", count: 77) + String(100 + $0))
        }
        for id in users {
            let upsert = UpsertUser(id: id, nickname: id.rawValue, profileURL: url, metadata: metadata)
            try chat.run(UpsertUsers(users: [upsert]), as: .server)
        }
        let answer = try chat.run(UpsertUsers(users: users.map { UpsertUser(id: $0) }), as: .server)
        #expect(size(answer) < Self.mebibyte)
        #expect(answer.users.map(\.id) == users)
        let complete = answer.users.prefix { $0.metadata == metadata }.count
        #expect(complete > 0 && answer.users.dropFirst(complete).allSatisfy { $0.metadata == nil })
        #expect(answer.users.allSatisfy { $0.profileURL == url })
        #expect(try chat.ask(GetUser(userID: users[99]), as: .server).user.metadata == metadata)
    }

    @Test func `CH6: as many large channels as fit are returned in full, the rest without metadata`() throws {
        var chat = Chat()
        let value = String(repeating: "\u{1}", count: FieldLimits.metadataValueBytes)
        let metadata = Dictionary(uniqueKeysWithValues: (0..<FieldLimits.metadataKeys).map { ("key \($0)", value) })
        let channels = (0..<FieldLimits.channelsPerUpsert).compactMap {
            ChannelID(String(repeating: "c", count: 90) + String(100 + $0))
        }
        for id in channels {
            let upsert = ChannelUpsert(
                id: id, name: String(repeating: "𝐀", count: FieldLimits.nameCodePoints),
                coverURL: "https://" + String(repeating: "\"", count: FieldLimits.urlBytes - 8), data: value,
                customType: String(repeating: "\u{1}", count: FieldLimits.customTypeBytes), metadata: metadata)
            try chat.run(UpsertChannels(channels: [upsert]), as: .server)
        }
        let answer = try chat.run(UpsertChannels(channels: channels.map { ChannelUpsert(id: $0) }), as: .server)
        #expect(size(answer) < Self.mebibyte)
        #expect(answer.channels.map(\.id) == channels)
        #expect(answer.channels.last?.metadata == nil && answer.channels.last?.data == nil)
        let one = try chat.run(UpsertChannels(channels: [ChannelUpsert(id: channels[0])]), as: .server)
        #expect(one.channels.first?.metadata == metadata && one.channels.first?.data == value)
    }

    @Test func `a size estimate is never below the actual size`() throws {
        var chat = try large()
        for message in try chat.ask(ListMessages(channelID: general, limit: 100), as: .user(ann)).messages {
            #expect(size(message) <= message.wireSize)
        }
        let texts = ["", "a", "\"\\/", "\u{0}\n\t\u{1F}\u{7F}", "é日本🙂", String(repeating: "\"", count: 999)]
        for text in texts {
            #expect(size(text) <= text.wireSize)
            var user = User(id: ann, nickname: text, profileURL: text, metadata: [text: text], isActive: true)
            (user.online, user.lastSeenAt, user.isGuest) = (true, .max, true)
            #expect(size(user) <= user.wireSize)
            var message = Message(
                id: MessageID(high: .max, low: .max), channelID: general, kind: .files, text: text, user: user,
                createdAt: .max, updatedAt: .max, deletedAt: .max, clientID: text,
                parentMessageID: MessageID(high: 1, low: 1), replyToChannel: false, offset: .max, customType: text,
                data: text, mentionType: .users, mentionedUserIDs: [ann, bob])
            message.metaArrays = [text: [text, text]]
            message.targetLanguages = [text]
            message.pushOption = .suppress
            message.criticalAlert = CriticalAlert(name: text, volume: 0.123456789)
            message.sourceID = text
            var file = MessageFile(url: text, name: text, size: .max, mimeType: text)
            file.thumbnails = [Thumbnail(maxWidth: 4_096, maxHeight: 4_096, url: text)]
            message.files = [file, file]
            var parent = MessageParent(
                id: MessageID(high: .max, low: .max), state: .notFound, kind: .files, text: text, user: user,
                createdAt: .max)
            parent.file = file
            message.parent = parent
            message.thread = MessageThread(
                channelID: general, parentMessageID: message.id, replyCount: .max, mostRepliedUsers: [user, user],
                lastReplyAt: .max, title: text, data: text, unreadCount: .max,
                lastRead: ReadPosition(messageID: message.id, offset: .max))
            message.reactions = [
                Reaction(key: text, count: .max, userIDs: [ann, bob], mine: false, updatedAt: .max)
            ]
            #expect(size(message) <= message.wireSize)
            let channel = Channel(
                id: general, name: text, isPublic: false, isDistinct: false, isSuper: false, customType: text,
                data: text, coverURL: text, metadata: [text: text], createdAt: .max, createdBy: ann,
                memberCount: .max, joinedMemberCount: .max, lastMessage: message,
                my: MyMembership(
                    state: .invited, role: .operator, joinedAt: .max, unreadCount: .max, unreadMentionCount: .max,
                    lastRead: ReadPosition(messageID: message.id, offset: .max), firstUnreadMessageID: message.id,
                    mutedUntil: .max, hiddenState: .hiddenPreventAutoUnhide, push: .default))
            #expect(size(channel) <= channel.wireSize)
            let member = Member(
                user: user, role: .operator, state: .invited, joinedAt: .max, invitedBy: ann, mutedUntil: .max,
                bannedUntil: .max, lastRead: ReadPosition(messageID: message.id, offset: .max), online: false,
                lastSeenAt: .max)
            #expect(size(member) <= member.wireSize)
            #expect(
                size(Sanction(user: user, until: .max, description: text, at: .max, by: ann))
                    <= Sanction(user: user, until: .max, description: text, at: .max, by: ann).wireSize)
            let report = Report(
                id: message.id.description, category: .inappropriate, description: text, channelID: general,
                userID: ann, messageID: message.id, by: ann, at: .max)
            #expect(size(report) <= report.wireSize)
        }
    }

    @Test func `R3: hundreds of reactions with long names do not make one message exceed the size limit`() throws {
        var reactions = MessageReactions()
        var settings = ChatSettings()
        settings.reactionUsersShown = 100
        let people = (0..<100).compactMap { UserID("\($0)" + String(repeating: "\"", count: 77)) }
        for key in 0..<FieldLimits.emojis {
            for (place, person) in people.enumerated() {
                reactions.add("key \(key)", by: person, offset: UInt64(key * 100 + place + 1), at: 1)
            }
        }
        let context = Context(
            caller: .user(ann), now: 1, freshID: MessageID(high: 0, low: 1), settings: settings)
        let view = try #require(reactions.view(for: context))
        #expect(view.count == FieldLimits.emojis)
        #expect(view.allSatisfy { $0.count == 100 })
        #expect(view[0].userIDs.count == 100)
        #expect(size(view) < 262_144)
    }
}
