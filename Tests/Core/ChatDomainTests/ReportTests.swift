import ChatModel
import Testing

@testable import ChatDomain

/// Covers `ME5`.
@Suite struct ReportTests {
    private func begin() throws -> (chat: Chat, message: MessageID) {
        var chat = Chat([ann, bob, cat, dan])
        try chat.create(with: [bob])
        return (chat, try chat.say("rude").id)
    }

    @Test func `ME5: a channel, user or message can be reported, and the server lists reports newest first`() throws {
        var (chat, message) = try begin()
        let requests = [
            CreateReport(category: .suspicious, channelID: general),
            CreateReport(category: .harassing, description: "at night", userID: ann),
            CreateReport(category: .inappropriate, channelID: general, messageID: message),
        ]
        chat.forgetWhatWasHeard()
        var reports: [Report] = []
        for request in requests { reports.append(try chat.run(request, as: .user(bob)).report) }
        #expect(reports.map(\.category) == [.suspicious, .harassing, .inappropriate])
        #expect(reports.map(\.channelID) == [general, nil, general] && reports.map(\.userID) == [nil, ann, nil])
        #expect(reports.map(\.messageID) == [nil, nil, message])
        #expect(reports.map(\.description) == [nil, "at night", nil])
        #expect(reports.allSatisfy { $0.by == bob } && reports.last?.at == chat.now)
        #expect(Set(reports.map(\.id)).count == 3)
        #expect(try chat.ask(ListReports(), as: .server).reports == reports.reversed())
        #expect([ann, bob, cat].allSatisfy { chat.heard(by: $0).isEmpty }, "only webhooks are told")
        #expect(try ListReports().answer(from: chat.replayed, .server(at: chat.now)).reports == reports.reversed())
    }

    @Test func `ME5: users cannot report what they cannot see`() throws {
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

    @Test func `ME5: a message from before the visible history cannot be reported`() throws {
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

    @Test func `ME5: a report must have exactly one target and a description of limited size`() throws {
        var (chat, message) = try begin()
        let wrong = [
            CreateReport(category: .spam), CreateReport(category: .spam, messageID: message),
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

    @Test
    func `ME5: an identical report is not stored twice; another reason or reporter makes a separate report`() throws {
        var (chat, _) = try begin()
        let first = try chat.run(CreateReport(category: .spam, description: "a", userID: ann), as: .user(bob)).report
        let again = try chat.run(CreateReport(category: .spam, description: "b", userID: ann), as: .user(bob)).report
        #expect(again == first && chat.lastRecords.isEmpty)
        let reason = try chat.run(CreateReport(category: .harassing, userID: ann), as: .user(bob)).report
        let person = try chat.run(CreateReport(category: .spam, userID: ann), as: .user(cat)).report
        #expect(Set([first.id, reason.id, person.id]).count == 3)
    }

    @Test func `ME5: a user can be reported for a channel visible to the reporter`() throws {
        var (chat, _) = try begin()
        let request = CreateReport(category: .spam, channelID: general, userID: ann)
        let report = try chat.run(request, as: .user(bob)).report
        #expect((report.channelID, report.userID, report.messageID) == (general, ann, nil))
        #expect(try chat.run(request, as: .user(bob)).report == report)
        let elsewhere = try chat.run(CreateReport(category: .spam, userID: ann), as: .user(bob)).report
        let channel = try chat.run(CreateReport(category: .spam, channelID: general), as: .user(bob)).report
        #expect(Set([report.id, elsewhere.id, channel.id]).count == 3)
        #expect(chat.refusal(of: request, as: .user(cat)) == .notFound)
        let nobody = CreateReport(category: .spam, channelID: general, userID: "nobody")
        #expect(chat.refusal(of: nobody, as: .user(bob)) == .notFound)
        #expect(try chat.ask(ListReports(), as: .server).reports == [channel, elsewhere, report])
        #expect(try ListReports().answer(from: chat.replayed, .server(at: chat.now)).reports.last == report)
    }

    // MARK: Shares

    /// Returns the list after each reporter has made the given number of reports, one millisecond apart.
    private func filled(_ reporters: [(UserID, count: Int)]) -> (list: ReportList, at: Int64) {
        var list = ReportList()
        var at: Int64 = 0
        for (user, count) in reporters { for _ in 0..<count { report(user, &list, &at) } }
        return (list, at)
    }

    /// - Returns: The reporter whose report was evicted.
    @discardableResult
    private func report(_ user: UserID, _ list: inout ReportList, _ at: inout Int64) -> UserID? {
        at += 1
        let replaced = list.reportToReplace(for: user)
        defer {
            list.add(
                .init(
                    id: MessageID(high: UInt64(at), low: 1), category: .spam,
                    target: .message(general, MessageID(high: UInt64(at), low: 2)), by: user, replaced: replaced),
                at: at)
        }
        return replaced.flatMap { list[$0]?.by }
    }

    private func held(by user: UserID, in list: ReportList) -> [ReportPlace] {
        list.places.filter { list[$0.id]?.by == user }
    }

    @Test func `ME5: guests together get a quarter of the list, and each guest a small share`() {
        var (list, at) = filled((0..<1_250).map { (.guest(1, UInt64($0)), 20) })
        #expect(list.count == 25_000)
        #expect(report(.guest(1, 3), &list, &at) == .guest(1, 3), "a guest's own oldest goes")
        #expect(report(.guest(2, 0), &list, &at) != nil && list.count == 25_000, "one of another guest's goes")
        #expect(report(ann, &list, &at) == nil && list.count == 25_001, "users have room")
        #expect(held(by: .guest(2, 0), in: list).count == 1)
    }

    @Test func `ME5: when the list is full, the oldest report of the reporter with the most is evicted`() {
        var reporters: [(UserID, count: Int)] = (0..<99).map { (UserID(stringLiteral: "r\($0)"), 1_000) }
        reporters.insert((ann, 1), at: 0)
        reporters += [(bob, 999)]
        var (list, at) = filled(reporters)
        #expect(list.count == FieldLimits.reports)
        // Bob has fewer reports than others, so theirs are evicted. Ann's only report stays, however old it is.
        #expect(report(bob, &list, &at) == "r0")
        #expect(report(bob, &list, &at) == bob, "their own share is used up now")
        for _ in 0..<2_000 { report(bob, &list, &at) }
        #expect(held(by: ann, in: list).count == 1 && held(by: bob, in: list).count == 1_000)
        #expect(held(by: "r0", in: list).count == 999, "one person pushes out nobody who holds less")
        // A newcomer evicts the reports of the users with the most, one after the other.
        let gone = (0..<5).compactMap { _ in report(cat, &list, &at) }
        #expect(gone == ["bob", "r1", "r10", "r11", "r12"])
        #expect(list.count == FieldLimits.reports && list.places == list.places.sorted())
    }

    @Test func `ME5: if every reporter has only one report, the oldest of all is evicted`() {
        var (list, at) = filled((0..<FieldLimits.reports).map { (UserID(stringLiteral: "r\($0)"), 1) })
        #expect(report(ann, &list, &at) == "r0" && report(bob, &list, &at) == "r1")
    }

    @Test func `ME5: an evicted report can be made again, and a restart reaches the same state`() throws {
        var chat = Chat([ann, bob])
        try chat.create(with: [bob])
        let first = CreateReport(category: .spam, channelID: general)
        let oldest = try chat.run(first, as: .user(bob)).report
        for number in 0..<1_000 {
            let said = try chat.say("m\(number)").id
            try chat.run(CreateReport(category: .spam, channelID: general, messageID: said), as: .user(bob))
        }
        let again = try chat.run(first, as: .user(bob)).report
        #expect(again.id != oldest.id && chat.lastRecords.count == 1)
        var parts: [StatePart] = []
        chat.state.parts { parts.append($0) }
        let restored = ChatState()
        for part in parts { try restored.load(part) }
        let pages = try [chat.state, chat.replayed, restored].map { state in
            try ListReports(limit: 100).answer(from: state, .server(at: chat.now)).reports
        }
        #expect(pages[0].first == again && pages[1] == pages[0] && pages[2] == pages[0])
        var foundParts: [StatePart] = []
        restored.parts { foundParts.append($0) }
        #expect(foundParts == parts)
    }

    @Test func `ME5: old reports never block new ones, and paging is stable as new reports arrive`() throws {
        var chat = Chat([ann, bob, cat])
        try chat.create()
        var messages: [MessageID] = []
        for number in 0...1_000 { messages.append(try chat.say("m\(number)").id) }
        for message in messages.dropLast() {
            try chat.run(CreateReport(category: .spam, channelID: general, messageID: message), as: .user(ann))
        }
        let last = CreateReport(category: .spam, channelID: general, messageID: messages.last)
        #expect(chat.refusal(of: last, as: .user(ann)) == nil, "the oldest of the same person makes room")
        #expect(chat.refusal(of: CreateReport(category: .spam, userID: ann), as: .user(bob)) == nil)
        let first = try chat.ask(ListReports(limit: 2), as: .server)
        #expect(first.reports.map(\.messageID) == [nil, messages[1_000]])
        try chat.run(CreateReport(category: .spam, userID: ann), as: .user(cat))
        var rest: [Report] = []
        var token = first.next
        while let next = token {
            let page = try chat.ask(ListReports(limit: 100, next: next), as: .server)
            rest += page.reports
            token = page.next
        }
        #expect(rest.map(\.messageID) == messages[1..<1_000].reversed())
        #expect(chat.refusal(of: ListReports(limit: 0), as: .server) == .invalidValue)
        #expect(chat.refusal(of: ListReports(next: "1.zz.1"), as: .server) == .badRequest)
    }
}

extension Context {
    fileprivate static func server(at now: Int64) -> Context {
        Context(caller: .server, now: now, freshID: MessageID(high: 0, low: 1), settings: ChatSettings())
    }
}
