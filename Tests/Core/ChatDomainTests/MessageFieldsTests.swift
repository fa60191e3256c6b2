import ChatDomain
import ChatModel
import Testing

/// Covers `MS2`.
@Suite struct MessageFieldsTests {
    private func message(_ change: (inout SendMessage) -> Void = { _ in }) -> SendMessage {
        var request = SendMessage(channelID: general, text: "hi", clientID: "c1")
        request.metaArrays = ["tags": ["b", "a"], "none": []]
        request.targetLanguages = ["en", "pt-BR"]
        request.pushOption = .suppress
        request.criticalAlert = CriticalAlert(name: "bell", volume: 0.5)
        change(&request)
        return request
    }

    @Test func `MS2: a message's extra fields reach everyone as sent`() throws {
        var chat = Chat()
        try chat.create(with: [bob])
        let sent = try chat.run(message(), as: .user(ann)).message
        let got = try chat.ask(GetMessage(channelID: general, messageID: sent.id), as: .user(bob)).message
        for view in [sent, got, try #require(chat.heard(by: bob).last?.event.message)] {
            #expect(view.metaArrays == ["tags": ["b", "a"], "none": []] && view.targetLanguages == ["en", "pt-BR"])
            #expect(view.pushOption == .suppress && view.criticalAlert == CriticalAlert(name: "bell", volume: 0.5))
        }
        #expect(chat.replayed.snapshot(users: [ann], channels: [general]).contains { $0.contains("pt-BR") })
    }

    @Test func `MS2: default and empty values are omitted`() throws {
        var chat = Chat()
        try chat.create()
        var request = SendMessage(channelID: general, text: "hi", clientID: "c1")
        let plain = try chat.run(request, as: .user(ann)).message
        (request.metaArrays, request.targetLanguages, request.pushOption) = ([:], [], .default)
        #expect(try chat.run(request, as: .user(ann)).message == plain, "the same content (MS3)")
        #expect(plain.metaArrays == nil && plain.targetLanguages == nil && plain.pushOption == nil)
    }

    @Test func `MS2, MS4: a list includes meta arrays only on request`() throws {
        var chat = Chat()
        try chat.create()
        try chat.run(message(), as: .user(ann))
        var query = ListMessages(channelID: general)
        for (asked, told) in [(nil, false), (false, false), (true, true)] as [(Bool?, Bool)] {
            query.includeMetaArrays = asked
            let listed = try #require(try chat.ask(query, as: .user(ann)).messages.first)
            #expect((listed.metaArrays != nil) == told)
            #expect(listed.targetLanguages == ["en", "pt-BR"])
        }
    }

    @Test func `MS2, MS3: a second message with the same client id conflicts if any of the fields differs`() throws {
        var chat = Chat()
        try chat.create()
        let first = try chat.run(message(), as: .user(ann)).message
        let others = [
            message { $0.metaArrays = ["tags": ["a", "b"], "none": []] },
            message { $0.metaArrays = ["tags": ["b", "a"]] },
            message { $0.targetLanguages = ["pt-BR", "en"] }, message { $0.pushOption = nil },
            message { $0.criticalAlert = CriticalAlert(name: "bell", volume: 0.6) },
            message { $0.criticalAlert = CriticalAlert(name: "gong", volume: 0.5) },
        ]
        func check() throws {
            #expect(try chat.run(message(), as: .user(ann)).message.id == first.id)
            for other in others { #expect(chat.refusal(of: other, as: .user(ann)) == .clientIDConflict) }
        }
        try check()
        var update = UpdateMessage(channelID: general, messageID: first.id)
        update.metaArrays = [:]
        try chat.run(update, as: .user(ann))
        try check()
    }

    @Test func `MS2, MS7: an update replaces a field, an empty value clears it, and the rest stays`() throws {
        var chat = Chat()
        try chat.create(with: [bob])
        let sent = try chat.run(message(), as: .user(ann)).message
        var update = UpdateMessage(channelID: general, messageID: sent.id)
        update.metaArrays = ["tags": ["c"]]
        var changed = try chat.run(update, as: .user(ann)).message
        #expect(changed.metaArrays == ["tags": ["c"]] && changed.targetLanguages == ["en", "pt-BR"])
        #expect(changed.pushOption == .suppress && changed.text == "hi" && changed.updatedAt == chat.now)
        #expect(chat.heard(by: bob).last?.event.message?.metaArrays == ["tags": ["c"]])
        try chat.run(update, as: .user(ann))
        #expect(chat.lastRecords.isEmpty, "the same again changes nothing")
        (update.metaArrays, update.targetLanguages) = ([:], [])
        changed = try chat.run(update, as: .user(ann)).message
        #expect(changed.metaArrays == nil && changed.targetLanguages == nil && changed.criticalAlert != nil)
        update.metaArrays = ["": []]
        #expect(chat.refusal(of: update, as: .user(ann)) == .invalidValue)
    }

    @Test func `MS2, MS8: a tombstone keeps none of the fields`() throws {
        var chat = Chat()
        try chat.create()
        let sent = try chat.run(message(), as: .user(ann)).message
        try chat.run(DeleteMessage(channelID: general, messageID: sent.id), as: .user(ann))
        var query = ListMessages(channelID: general, includeDeleted: true)
        query.includeMetaArrays = true
        let left = try #require(try chat.ask(query, as: .user(ann)).messages.first)
        #expect(left.metaArrays == nil && left.targetLanguages == nil && left.pushOption == nil)
        #expect(left.criticalAlert == nil)
    }

    @Test(
        arguments: [
            (Dictionary(uniqueKeysWithValues: (0..<20).map { ("\($0)", []) }), nil),
            (Dictionary(uniqueKeysWithValues: (0..<21).map { ("\($0)", []) }), .tooMany),
            (["": []], .invalidValue),
            ([String(repeating: "k", count: 128): []], nil), ([String(repeating: "k", count: 129): []], .tooLong),
            (["k": Array(repeating: "v", count: 100)], nil), (["k": Array(repeating: "v", count: 101)], .tooMany),
            (["k": [String(repeating: "v", count: 1_024)]], nil),
            (["k": [String(repeating: "v", count: 1_025)]], .tooLong),
            (["k": Array(repeating: String(repeating: "v", count: 1_023), count: 16) + ["123456789012345"]], nil),
            (["k": Array(repeating: String(repeating: "v", count: 1_023), count: 16) + ["1234567890123456"]], .tooLong),
        ] as [([String: [String]], ErrorCode?)])
    func `MS2: meta arrays beyond their limits are refused`(arrays: [String: [String]], refusal: ErrorCode?) throws {
        var chat = Chat()
        try chat.create()
        #expect(chat.refusal(of: message { $0.metaArrays = arrays }, as: .user(ann)) == refusal)
    }

    @Test(
        arguments: [
            (["en"], nil), (["zh-Hant-TW", "de-1996", "tlh"], nil), (["EN"], nil), ([""], .invalidValue),
            (["e"], .invalidValue), (["abcdefghi"], .invalidValue), (["en-"], .invalidValue),
            (["en_US"], .invalidValue),
            (["1a"], .invalidValue), (["en-abcdefghi"], .invalidValue), (["é"], .invalidValue),
            (["en-" + String(repeating: "a-", count: 16)], .invalidValue),
            ((0..<10).map { "en-\($0)" }, nil), ((0..<11).map { "en-\($0)" }, .tooMany),
        ] as [([String], ErrorCode?)])
    func `MS2: target languages must be BCP 47 tags`(tags: [String], refusal: ErrorCode?) throws {
        var chat = Chat()
        try chat.create()
        #expect(chat.refusal(of: message { $0.targetLanguages = tags }, as: .user(ann)) == refusal)
    }

    @Test(
        arguments: [
            (CriticalAlert(name: "a", volume: 0), nil), (CriticalAlert(name: "a", volume: 1), nil),
            (CriticalAlert(name: "a", volume: 1.01), .invalidValue),
            (CriticalAlert(name: "a", volume: -0.01), .invalidValue),
            (CriticalAlert(name: "a", volume: .nan), .invalidValue),
            (CriticalAlert(name: "", volume: 1), .invalidValue),
            (CriticalAlert(name: String(repeating: "é", count: 128), volume: 1), nil),
            (CriticalAlert(name: String(repeating: "é", count: 129), volume: 1), .tooLong),
            (CriticalAlert(name: "a\u{0}", volume: 1), .invalidValue),
        ] as [(CriticalAlert, ErrorCode?)])
    func `MS2: a critical alert needs a valid sound name and a volume from 0 to 1`(
        alert: CriticalAlert, refusal: ErrorCode?
    ) throws {
        var chat = Chat()
        try chat.create()
        #expect(chat.refusal(of: message { $0.criticalAlert = alert }, as: .user(ann)) == refusal)
    }
}
