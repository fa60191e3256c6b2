import ChatModel
import TestSupport
import Testing

@testable import ChatDomain

/// The commands `user.export` and `channel.export`, page by page.
@Suite struct ExportPagingTests {
    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func `PR2: the pages together are the lines that the command line writes, whatever their size`(
        seed: UInt64
    ) throws {
        var chat = try Exports.chat(seed: seed)
        for scope in Exports.scopes {
            let expected = Exports.lines(chat.state, scope)
            for limit in [1, 2, 7, 500, nil] {
                let pages = try Exports.walk(&chat, scope, limit: limit)
                #expect(pages.flatMap(\.lines) == expected, "seed \(seed), \(scope), limit \(limit ?? 0)")
                #expect(pages.dropLast().allSatisfy { $0.lines.count == limit ?? 500 })
            }
        }
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func `PR2: an export has exactly the user's own messages, reactions, files and reports`(seed: UInt64) throws {
        let chat = try Exports.chat(seed: seed)
        for user in friends {
            let lines = Exports.lines(chat.state, .user(user))
            var messages: [MessageID] = []
            var reactions: [String] = []
            for place in places {
                let channel = try #require(chat.state.channels[place])
                for message in channel.messages {
                    if message.sender == user { messages.append(message.id) }
                    for key in channel.reactions(on: message.id)?.keys ?? [] where key.contains(user) {
                        reactions.append("\(message.id) \(key.key)")
                    }
                }
            }
            #expect(lines.compactMap(\.message?.id) == messages && !messages.isEmpty)
            let found = lines.compactMap { line in line.key.map { "\(line.messageID?.description ?? "") \($0)" } }
            #expect(found == reactions)
            let files = lines.compactMap(\.file?.id)
            #expect(files == chat.state.files.parts.filter { $0.file.owner == user }.map(\.file.id).sorted())
            #expect(lines.allSatisfy { $0.message == nil || $0.message?.user?.id == user })
            let reports = chat.state.reports.places.compactMap { chat.state.reports[$0.id] }
            #expect(lines.compactMap(\.report) == reports.filter { $0.by == user })
            #expect(lines.compactMap(\.devices?.first?.token) == (user == zoe ? ["zoe's"] : []))
        }
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `PR2: a walk passes everything that was there at its start and still is, while the chat goes on`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        for scope in Exports.scopes {
            var chat = try Exports.chat(seed: seed, steps: 150)
            if random.chance(percent: 50) {
                for place in places { try chat.run(SetRetention(channelID: place, maxMessages: 40), as: .server) }
            }
            // What exists all the time.
            var still = Set(Exports.lines(chat.state, scope).compactMap(Self.identity))
            var step = 0
            let pages = try Exports.walk(&chat, scope, limit: random.pick([3, 10])) { chat in
                step += 1
                defer { still.formIntersection(Exports.lines(chat.state, scope).compactMap(Self.identity)) }
                let (user, place) = (random.pick(friends), random.pick(places))
                let messages = chat.state.channels[place]?.messages.map { $0 } ?? []
                switch Int.random(in: 0..<6, using: &random) {
                case 0: _ = try? chat.say("later \(step)", by: random.pick(friends), in: place)
                case 1:
                    guard let message = messages.randomElement(using: &random) else { return }
                    _ = try? chat.run(DeleteMessage(channelID: place, messageID: message.id), as: .server)
                case 2: chat.pass(seconds: 1)
                case 3: _ = try? chat.run(LeaveChannel(channelID: place), as: .user(user))
                case 4: _ = try? chat.run(AddMembers(channelID: place, userIDs: [user]), as: .server)
                default:
                    guard let message = messages.randomElement(using: &random) else { return }
                    let key = random.pick(["sob", "rage"])
                    let request = AddReaction(channelID: place, messageID: message.id, key: key)
                    if (try? chat.run(request, as: .user(user))) == nil {
                        _ = try? chat.run(
                            RemoveReaction(channelID: place, messageID: message.id, key: key), as: .user(user))
                    }
                }
            }
            let walked = pages.flatMap(\.lines)
            let found = walked.compactMap(Self.identity)
            #expect(still.subtracting(found).isEmpty, "seed \(seed), \(scope)")
            let messages = walked.compactMap(\.message?.id)
            #expect(Set(messages).count == messages.count, "no message twice; seed \(seed), \(scope)")
            #expect(walked.last?.lines == walked.count - 1)
        }
    }

    /// What names the object of a line, whatever changes in it; nil for read markers, which move.
    private static func identity(_ line: ExportLine) -> String? {
        if line.type == "read" || line.type == "end" { return nil }
        let ids: [String?] = [
            line.type, line.channelID?.rawValue, line.userID?.rawValue, line.user?.id.rawValue,
            line.member?.user.id.rawValue, line.message?.id.description, line.messageID?.description, line.key,
            line.file?.id?.description, line.report?.id, line.parentMessageID?.description,
        ]
        return ids.map { $0 ?? "-" }.joined(separator: " ")
    }

    @Test func `PR2: if the last key of a page is taken back, no other reaction to its message is lost`() throws {
        var chat = Chat()
        try chat.create(with: [bob, cat])
        let message = try chat.say("react!").id
        try chat.run(CreateEmoji(key: "party", character: "x"), as: .server)
        for (user, key) in [(ann, "sob"), (bob, "rage"), (cat, "party")] {
            try chat.run(AddReaction(channelID: general, messageID: message, key: key), as: .user(user))
        }
        var keys: [String] = []
        var next: String?
        repeat {
            let page = try Exports.page(chat, .channel(general), limit: 1, next: next)
            if let key = page.lines.first?.key {
                keys.append(key)
                if keys == ["sob"] {
                    try chat.run(RemoveReaction(channelID: general, messageID: message, key: key), as: .user(ann))
                }
            }
            next = page.next
        } while next != nil
        #expect(keys == ["sob", "rage", "party"])
    }

    @Test func `PR2: threads and read markers refer to exported messages only, although more have come`() throws {
        var chat = Chat()
        try chat.create(with: [bob, cat])
        let first = try chat.say("first").id
        try chat.say("second")
        try chat.run(MarkRead(channelID: general, messageID: first), as: .user(bob))
        try chat.run(MarkRead(channelID: general), as: .user(cat))
        try chat.run(UpdateThread(channelID: general, parentMessageID: first, title: "first"), as: .server)
        try chat.run(MarkRead(channelID: general), as: .user(ann))
        let pages = try Exports.walk(&chat, .channel(general), limit: 1)
        var lines: [ExportLine] = []
        var next: String?
        repeat {
            let page = try Exports.page(chat, .channel(general), limit: 1, next: next)
            lines += page.lines
            next = page.next
            if page.lines.first?.type == "thread" {
                let later = try chat.say("later").id
                try chat.run(UpdateThread(channelID: general, parentMessageID: later, title: "later"), as: .server)
                try chat.run(MarkRead(channelID: general), as: .user(bob))
            }
        } while next != nil
        #expect(lines.compactMap(\.title) == ["first"])
        #expect(lines.filter { $0.type == "read" }.map(\.userID) == [])
        let before = pages.flatMap(\.lines).filter { $0.type == "read" }
        #expect(before.map(\.userID) == [bob] && before.map(\.messageID) == [first])
    }

    @Test func `PR2: a page ends before it exceeds the size of a response`() throws {
        var chat = Chat()
        try chat.create()
        let text = String(repeating: "\u{1}", count: 16_000)
        for _ in 0..<30 { try chat.say(text) }
        let pages = try Exports.walk(&chat, .user(ann), limit: 1_000)
        #expect(pages.count == 3 && pages.flatMap(\.lines).compactMap(\.message).count == 30)
        for page in pages {
            #expect(page.lines.reduce(0) { $0 + $1.wireSize } <= AnswerBudget.bytes)
        }
    }

    @Test func `PR2: a page examines a limited amount, so it may have no lines although more follow`() throws {
        var chat = Chat()
        for number in 0..<2_010 {
            let id = try #require(ChannelID("other-\(number)"))
            try chat.run(CreateChannel(id: id), as: .server)
        }
        try chat.create("z")
        try chat.say("at the end", in: "z")
        let pages = try Exports.walk(&chat, .user(ann), limit: 2)
        #expect(pages.map { $0.lines.map(\.type) } == [["export", "user"], [], ["membership", "message"], ["end"]])
    }
}
