import ChatModel
import Testing

@testable import ChatDomain

/// The channel `general` of ann, its operator, bob and cat, with rules that refuse, mask and report.
private func begin() throws -> Chat {
    var chat = Chat()
    try chat.createGoverned(isPublic: true)
    try chat.run(
        SetTextRules(rules: [
            TextRuleDefinition(id: "insults", words: ["idiot"], action: .refuse),
            TextRuleDefinition(id: "swearing", words: ["damn"], action: .mask),
            TextRuleDefinition(id: "money", pattern: "send me [0-9]+", action: .report),
            TextRuleDefinition(id: "links", allowedDomains: ["example.com"], action: .refuse, customTypes: ["support"]),
        ]), as: .server)
    chat.forgetWhatWasHeard()
    return chat
}

private func send(_ text: String, clientID: String? = nil) -> SendMessage {
    SendMessage(channelID: general, text: text, clientID: clientID)
}

@Suite struct TextRuleTests {
    @Test func `MO3: a rule refuses a text and is named, masks its words, or lets it pass and reports it`() throws {
        var chat = try begin()
        #expect(throws: Rejection(.textRefused, "rule insults")) { try chat.run(send("You IDIOT!"), as: .user(bob)) }
        let masked = try chat.run(send("damn, it is hot"), as: .user(bob)).message
        #expect(masked.text == "****, it is hot")
        #expect(chat.heard(by: cat).last?.event.message?.text == "****, it is hot")
        let reported = try chat.run(send("please send me 100"), as: .user(bob)).message
        #expect(reported.text == "please send me 100")
        let report = try #require(try chat.ask(ListReports(state: .open), as: .server).reports.first)
        #expect(report.ruleID == "money" && report.messageID == reported.id && report.userID == bob && report.by == nil)
        try chat.run(DismissReport(reportID: report.id), as: .server)
    }

    @Test func `MO3: an edit, a thread's title and the names of channels pass the same rules`() throws {
        var chat = try begin()
        let message = try chat.say("good", by: bob)
        func edit(_ text: String) -> UpdateMessage {
            UpdateMessage(channelID: general, messageID: message.id, text: text)
        }
        #expect(chat.refusal(of: edit("idiot"), as: .user(bob)) == .textRefused)
        #expect(chat.refusal(of: edit("idiot"), as: .user(ann)) == .textRefused)
        #expect(try chat.run(edit("damn"), as: .user(bob)).message.text == "****")
        try chat.run(edit("send me 5"), as: .user(bob))
        #expect(try chat.ask(ListReports(), as: .server).reports.count == 1)
        let title = UpdateThread(channelID: general, parentMessageID: message.id, title: "idiot")
        #expect(chat.refusal(of: title, as: .user(bob)) == .textRefused)
        #expect(chat.refusal(of: UpdateChannel(channelID: general, name: "idiot"), as: .user(ann)) == .textRefused)
        #expect(chat.refusal(of: CreateChannel(id: "new", name: "idiot"), as: .user(ann)) == .textRefused)
        let named = try chat.run(UpdateChannel(channelID: general, name: "damn hot"), as: .user(ann)).channel
        #expect(named.name == "**** hot")
    }

    @Test func `MO3: nicknames pass the rules whoever sets them, and the app's own texts do not need to`() throws {
        var chat = try begin()
        #expect(chat.refusal(of: UpsertUser(id: bob, nickname: "Idiot"), as: .server) == .textRefused)
        #expect(try chat.run(UpsertUser(id: bob, nickname: "Damn"), as: .server).user.nickname == "****")
        #expect(
            chat.refusal(of: SendMessage(channelID: general, text: "no idiot here", kind: .admin), as: .server) == nil)
        #expect(chat.refusal(of: UpdateChannel(channelID: general, name: "idiot"), as: .server) == nil)
    }

    @Test func `MO3: a nickname or channel name that stays is not checked again`() throws {
        var chat = try begin()
        try chat.run(DeleteTextRules(ids: ["insults"]), as: .server)
        try chat.run(UpsertUser(id: bob, nickname: "Idiot"), as: .server)
        try chat.run(UpdateChannel(channelID: general, name: "Idiot"), as: .user(ann))
        try chat.run(
            SetTextRules(rules: [TextRuleDefinition(id: "insults", words: ["idiot"], action: .refuse)]), as: .server)
        #expect(chat.refusal(of: UpsertUser(id: bob, nickname: "Idiot", metadata: ["a": "b"]), as: .server) == nil)
        #expect(chat.refusal(of: UpdateChannel(channelID: general, name: "Idiot", data: "d"), as: .user(ann)) == nil)
        #expect(chat.refusal(of: UpsertUser(id: bob, nickname: "idiot"), as: .server) == .textRefused)
    }

    @Test func `MO3: a rule that differs only in its normalization takes effect`() throws {
        var chat = try begin()
        for pattern in ["e\u{301}lan", "\u{E9}lan"] {
            let rule = TextRuleDefinition(id: "accent", pattern: pattern, action: .report)
            try chat.run(SetTextRules(rules: [rule]), as: .server)
            let listed = try chat.ask(ListTextRules(), as: .server).rules.first { $0.id == "accent" }
            #expect(listed?.pattern.map { Array($0.utf8) } == Array(pattern.utf8))
        }
        try chat.run(
            SetTextRules(rules: [TextRuleDefinition(id: "accent", pattern: "\u{E9}lan", action: .report)]), as: .server)
        #expect(chat.lastRecords.isEmpty, "the same rule again changes nothing")
    }

    @Test func `MO3: a report of an edit names whoever edited`() throws {
        var chat = try begin()
        let message = try chat.say("good", by: bob)
        try chat.run(UpdateMessage(channelID: general, messageID: message.id, text: "send me 5"), as: .user(ann))
        let report = try #require(try chat.ask(ListReports(), as: .server).reports.first)
        #expect(report.userID == ann && report.messageID == message.id)
    }

    @Test func `MO3: rules can apply to channels of some custom types only`() throws {
        var chat = try begin()
        #expect(chat.refusal(of: send("see https://evil.example"), as: .user(bob)) == nil)
        try chat.run(UpdateChannel(channelID: general, customType: "support"), as: .user(ann))
        #expect(chat.refusal(of: send("see https://evil.example"), as: .user(bob)) == .textRefused)
        #expect(chat.refusal(of: send("see https://www.example.com/a"), as: .user(bob)) == nil)
    }

    @Test func `MO3 MS3: a message repeated with its client id is the same one, although it was masked`() throws {
        var chat = try begin()
        let first = try chat.run(send("damn", clientID: "c"), as: .user(bob)).message
        #expect(try chat.run(send("damn", clientID: "c"), as: .user(bob)).message == first)
        #expect(chat.refusal(of: send("****", clientID: "c"), as: .user(bob)) == .clientIDConflict)
        try chat.run(
            SetTextRules(rules: [TextRuleDefinition(id: "swearing", words: ["damn"], action: .refuse)]), as: .server)
        #expect(try chat.run(send("damn", clientID: "c"), as: .user(bob)).message == first)
        #expect(chat.refusal(of: send("damn", clientID: "d"), as: .user(bob)) == .textRefused)
        let loaded = ChatState()
        try chat.state.parts { try loaded.load($0) }
        for state in [loaded, chat.replayed] {
            let context = Context(
                caller: .user(bob), now: chat.now, freshID: MessageID(high: 1, low: 1), settings: chat.settings)
            #expect(try send("damn", clientID: "c").decide(in: state, context).events.isEmpty)
        }
    }

    @Test func `MO3 CH5: the rules hold in an ephemeral channel, whose reports name the author`() throws {
        var chat = try begin()
        try chat.run(CreateChannel(id: "live", userIDs: [bob], isEphemeral: true), as: .user(ann))
        func say(_ text: String) -> SendMessage { SendMessage(channelID: "live", text: text) }
        #expect(chat.refusal(of: say("idiot"), as: .user(bob)) == .textRefused)
        #expect(try chat.run(say("damn"), as: .user(bob)).message.text == "****")
        try chat.run(say("send me 7"), as: .user(bob))
        let report = try chat.ask(ListReports(), as: .server).reports.first
        #expect(report?.channelID == "live" && report?.userID == bob && report?.messageID == nil)
    }

    @Test func `MO3: rules that were checked and not set do not take the place of others`() throws {
        let chat = try begin()
        try chat.state.textRules.check(setting: [TextRuleDefinition(id: "x", words: ["fool"], action: .refuse)])
        let set = TextRuleDefinition(id: "x", words: ["clown"], action: .refuse)
        chat.state.evolve(Record(event: .textRulesSet([set]), at: chat.now, by: nil, positions: []))
        #expect(try chat.state.textRules.rules().verdict(of: "clown", customType: nil) == .refused("x"))
        #expect(try chat.state.textRules.rules().verdict(of: "fool", customType: nil) == .allowed)
    }

    @Test func `MO3: rules are set and removed while the server runs, listed in pages, and survive a restart`() throws {
        var chat = try begin()
        let first = try chat.ask(ListTextRules(limit: 3), as: .server)
        let rest = try chat.ask(ListTextRules(limit: 3, next: first.next), as: .server)
        #expect((first.rules + rest.rules).map(\.id) == ["insults", "links", "money", "swearing"])
        let loaded = ChatState()
        try chat.state.parts { try loaded.load($0) }
        for state in [loaded, chat.replayed] {
            #expect(try state.textRules.rules().verdict(of: "idiot", customType: nil) == .refused("insults"))
        }
        #expect(try chat.run(DeleteTextRules(ids: ["insults", "nothing"]), as: .server).count == 3)
        #expect(chat.refusal(of: send("idiot"), as: .user(bob)) == nil)
        try chat.run(DeleteTextRules(ids: ["insults"]), as: .server)
        #expect(chat.lastRecords.isEmpty)
        let same = SetTextRules(rules: [TextRuleDefinition(id: "swearing", words: ["damn"], action: .mask)])
        try chat.run(same, as: .server)
        #expect(chat.lastRecords.isEmpty)
    }

    @Test func `MO3: a set with a rule that cannot be used is refused as a whole, and the rule is named`() throws {
        var chat = try begin()
        let bad: [(TextRuleDefinition, ErrorCode)] = [
            (TextRuleDefinition(id: "x", pattern: "(", action: .refuse), .invalidValue),
            (TextRuleDefinition(id: "x", pattern: "a*", action: .refuse), .invalidValue),
            (TextRuleDefinition(id: "x", words: [], action: .refuse), .invalidValue),
            (TextRuleDefinition(id: "x", action: .refuse), .invalidValue),
            (TextRuleDefinition(id: "x", words: ["a"], pattern: "b", action: .refuse), .invalidValue),
            (TextRuleDefinition(id: "x", forbiddenDomains: ["not a domain"], action: .refuse), .invalidValue),
            (TextRuleDefinition(id: "", words: ["a"], action: .refuse), .invalidValue),
            (TextRuleDefinition(id: "x", pattern: String(repeating: "a", count: 1_025), action: .refuse), .tooLong),
        ]
        let good = TextRuleDefinition(id: "good", words: ["good"], action: .refuse)
        for (rule, code) in bad {
            #expect(chat.refusal(of: SetTextRules(rules: [good, rule]), as: .server) == code, "\(rule)")
        }
        #expect(chat.refusal(of: SetTextRules(rules: []), as: .server) == .invalidValue)
        #expect(chat.refusal(of: SetTextRules(rules: [good, good]), as: .server) == .invalidValue)
        #expect(try chat.ask(ListTextRules(), as: .server).rules.count == 4)
        #expect(chat.refusal(of: send("good"), as: .user(bob)) == nil)
    }

    @Test func `MO3: a dry run shows every matching rule with its places, of rules in effect or not`() throws {
        var chat = try begin()
        let answer = try chat.ask(TestTextRules(text: "damn idiot"), as: .server)
        #expect(answer.matches.map(\.ruleID) == ["insults", "swearing"] && answer.text == nil)
        #expect(answer.matches.map(\.marks) == [[[5, 5]], [[0, 4]]])
        let other = TextRuleDefinition(id: "o", words: ["hot"], action: .mask)
        let trial = try chat.ask(TestTextRules(text: "damn hot", rules: [other]), as: .server)
        #expect(trial.text == "damn ***" && trial.matches.map(\.ruleID) == ["o"])
        #expect(try chat.ask(TestTextRules(text: "fine"), as: .server).text == "fine")
        let broken = TestTextRules(text: "x", rules: [TextRuleDefinition(id: "p", pattern: "(", action: .mask)])
        #expect(chat.refusal(of: broken, as: .server) == .invalidValue)
    }

    @Test func `MO3 ME5: reports by rules have shares of their own, and go with their author`() throws {
        var chat = try begin()
        for index in 0..<120 { try chat.run(send("send me \(index)"), as: .user(bob)) }
        try chat.run(CreateReport(category: .spam, userID: bob), as: .user(cat))
        let reports = try chat.ask(ListReports(limit: 100), as: .server).reports
        #expect(reports.first?.by == cat && chat.state.reports.count == FieldLimits.reportsPerAuthor + 1)
        try chat.run(DeleteUser(userID: bob), as: .server)
        #expect(chat.state.reports.count == 0)
    }
}
