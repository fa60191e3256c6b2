import ChatDomain
import ChatModel
import Testing
import WireProtocol

/// `ME5`
@Suite struct ReportTests {
    private func begin() throws -> (chat: Chat, message: MessageID) {
        var chat = Chat([ann, bob, cat, dan])
        try chat.create(with: [bob])
        return (chat, try chat.say("rude").id)
    }

    @Test func `ME5: a channel, a user or a message is reported, and the server reads it, newest first`() throws {
        var (chat, message) = try begin()
        let requests = [
            CreateReport(category: .suspicious, channelID: general),
            CreateReport(category: .harassing, description: "at night", userID: ann),
            CreateReport(category: .inappropriate, channelID: general, messageID: message),
        ]
        var reports: [Report] = []
        for request in requests { reports.append(try chat.run(request, as: .user(bob)).report) }
        #expect(reports.map(\.category) == [.suspicious, .harassing, .inappropriate])
        #expect(reports.map(\.channelID) == [general, nil, general] && reports.map(\.userID) == [nil, ann, nil])
        #expect(reports.map(\.messageID) == [nil, nil, message])
        #expect(reports.map(\.description) == [nil, "at night", nil])
        #expect(reports.allSatisfy { $0.by == bob } && reports.last?.at == chat.now)
        #expect(Set(reports.map(\.id)).count == 3)
        #expect(try chat.ask(ListReports(), as: .server).reports == reports.reversed())
        #expect(chat.lastEffects.isEmpty, "nobody is told")
        #expect(try ListReports().answer(from: chat.replayed, .server(at: chat.now)).reports == reports.reversed())
    }

    @Test func `ME5: what one cannot see cannot be reported`() throws {
        var (chat, message) = try begin()
        for user in [cat, dan] {
            let code = chat.refusal(of: CreateReport(category: .spam, channelID: general), as: .user(user))
            #expect(code == .notFound)
        }
        #expect(chat.refusal(of: CreateReport(category: .spam, userID: "nobody"), as: .user(bob)) == .notFound)
        let report = CreateReport(category: .spam, channelID: general, messageID: message)
        #expect(chat.refusal(of: report, as: .user(cat)) == .notFound)
        let absent = CreateReport(category: .spam, channelID: general, messageID: MessageID(high: 1, low: 1))
        #expect(chat.refusal(of: absent, as: .user(bob)) == .notFound)
        try chat.create("open", isPublic: true)
        let said = try chat.say("rude", in: "open").id
        #expect(chat.refusal(of: CreateReport(category: .spam, channelID: "open"), as: .user(cat)) == nil)
        let outside = CreateReport(category: .spam, channelID: "open", messageID: said)
        #expect(chat.refusal(of: outside, as: .user(cat)) == .notFound, "a public channel's messages are its members'")
        try chat.run(DeleteMessage(channelID: general, messageID: message), as: .user(ann))
        #expect(chat.refusal(of: report, as: .user(bob)) == .notFound)
        #expect(try chat.ask(ListReports(), as: .server).reports.count == 1)
    }

    @Test func `ME5: a message from before one's visible history is not there to be reported`() throws {
        var settings = ChatSettings()
        settings.historyVisibleToNewcomers = false
        var chat = Chat([ann, bob], settings: settings)
        try chat.create()
        let hidden = try chat.say("early").id
        _ = try chat.invite([bob])
        let report = CreateReport(category: .spam, channelID: general, messageID: hidden)
        #expect(chat.refusal(of: report, as: .user(bob)) == .notFound)
        #expect(chat.refusal(of: report, as: .user(ann)) == nil)
    }

    @Test func `ME5: a report has exactly one target and a description of bounded size`() throws {
        var (chat, message) = try begin()
        let wrong = [
            CreateReport(category: .spam), CreateReport(category: .spam, messageID: message),
            CreateReport(category: .spam, channelID: general, userID: ann),
            CreateReport(category: .spam, userID: ann, messageID: message),
            CreateReport(category: .spam, channelID: general, userID: ann, messageID: message),
        ]
        for request in wrong { #expect(chat.refusal(of: request, as: .user(bob)) == .badRequest) }
        for (count, code) in [(1_024, nil), (1_025, .tooLong)] as [(Int, ErrorCode?)] {
            let text = String(repeating: "x", count: count)
            #expect(
                chat.refusal(of: CreateReport(category: .spam, description: text, userID: ann), as: .user(bob)) == code)
        }
    }

    @Test func `ME5: the same again is the same report, another reason or person another`() throws {
        var (chat, _) = try begin()
        let first = try chat.run(CreateReport(category: .spam, description: "a", userID: ann), as: .user(bob)).report
        let again = try chat.run(CreateReport(category: .spam, description: "b", userID: ann), as: .user(bob)).report
        #expect(again == first && chat.lastRecords.isEmpty)
        let reason = try chat.run(CreateReport(category: .harassing, userID: ann), as: .user(bob)).report
        let person = try chat.run(CreateReport(category: .spam, userID: ann), as: .user(cat)).report
        #expect(Set([first.id, reason.id, person.id]).count == 3)
    }

    @Test func `ME5: nobody reports without end, and pages of reports are stable while new ones come`() throws {
        var chat = Chat([ann, bob, cat])
        try chat.create()
        var messages: [MessageID] = []
        for number in 0...1_000 { messages.append(try chat.say("m\(number)").id) }
        for message in messages.dropLast() {
            try chat.run(CreateReport(category: .spam, channelID: general, messageID: message), as: .user(ann))
        }
        let last = CreateReport(category: .spam, channelID: general, messageID: messages.last)
        #expect(chat.refusal(of: last, as: .user(ann)) == .tooMany)
        #expect(chat.refusal(of: CreateReport(category: .spam, userID: ann), as: .user(bob)) == nil)
        let first = try chat.ask(ListReports(limit: 2), as: .server)
        #expect(first.reports.map(\.messageID) == [nil, messages[999]])
        try chat.run(CreateReport(category: .spam, userID: ann), as: .user(cat))
        var rest: [Report] = []
        var token = first.next
        while let next = token {
            let page = try chat.ask(ListReports(limit: 100, next: next), as: .server)
            rest += page.reports
            token = page.next
        }
        #expect(rest.map(\.messageID) == messages[..<999].reversed())
        #expect(chat.refusal(of: ListReports(limit: 0), as: .server) == .invalidValue)
        #expect(chat.refusal(of: ListReports(next: "1.zz.1"), as: .server) == .badRequest)
    }
}

extension Context {
    fileprivate static func server(at now: Int64) -> Context {
        Context(caller: .server, now: now, freshID: MessageID(high: 0, low: 1), settings: ChatSettings())
    }
}
