import ChatDomain
import ChatModel
import Testing

/// Covers `MO4` as far as the chat's state goes; asking the hook is tested in `HookGateTests` and `HookCallerTests`.
@Suite struct HookTests {
    private let secret = "0123456789abcdef01234567"
    private let url = "https://app.example/hook"

    private func begin() throws -> Chat {
        var chat = Chat()
        try chat.createGoverned()
        return chat
    }

    private func hook(_ change: (inout SetHook) -> Void = { _ in }) -> SetHook {
        var hook = SetHook(url: url, secret: secret, onFailure: .refuse)
        change(&hook)
        return hook
    }

    @Test func `MO4: the hook is set, changed and removed by the server, and no answer contains its secrets`() throws {
        var chat = Chat()
        #expect(try chat.ask(GetHook(), as: .server).hook == nil)
        let set = hook { $0.previousSecret = secret + "!" }
        let expected = MessageHook(url: url, timeoutMilliseconds: 500, onFailure: .refuse)
        #expect(try chat.run(set, as: .server).hook == expected)
        #expect(chat.state.hook == HookTarget(hook: expected, secret: secret, previousSecret: secret + "!"))
        try chat.run(set, as: .server)
        #expect(chat.lastRecords.isEmpty)
        try chat.run(hook { ($0.timeoutMilliseconds, $0.onFailure) = (50, .allow) }, as: .server)
        let changed = MessageHook(url: url, timeoutMilliseconds: 50, onFailure: .allow)
        #expect(try chat.ask(GetHook(), as: .server).hook == changed)
        try chat.restart()
        #expect(chat.state.hook?.hook == changed)
        #expect(try chat.run(SetHook(), as: .server).hook == nil)
        #expect(chat.state.hook == nil)
        try chat.run(SetHook(), as: .server)
        #expect(chat.lastRecords.isEmpty)
    }

    @Test func `MO4: a hook with missing or impossible fields is refused`() {
        var chat = Chat()
        let refused: [(SetHook, ErrorCode)] = [
            (hook { $0.secret = nil }, .invalidValue), (hook { $0.onFailure = nil }, .invalidValue),
            (hook { $0.url = nil }, .invalidValue), (hook { $0.url = "/local" }, .invalidValue),
            (hook { $0.url = "ftp://app.example" }, .invalidValue),
            (hook { $0.url = "https://ä.example" }, .invalidValue),
            (hook { $0.url = "https://" + String(repeating: "a", count: 2_048) }, .tooLong),
            (hook { $0.secret = "short" }, .invalidValue),
            (hook { $0.previousSecret = String(repeating: "a", count: 257) }, .tooLong),
            (hook { $0.timeoutMilliseconds = 49 }, .invalidValue),
            (hook { $0.timeoutMilliseconds = 5_001 }, .invalidValue),
        ]
        for (request, code) in refused { #expect(chat.refusal(of: request, as: .server) == code) }
        #expect(chat.state.hook == nil)
    }

    @Test func `MO4 MS3: a replaced message is still the one with its client id`() throws {
        var chat = try begin()
        let send = SendMessage(channelID: general, text: "bad", clientID: "c")
        let message = try chat.run(ReplacedText(send, text: "good"), as: .user(bob)).message
        #expect(message.text == "good")
        #expect(try chat.run(send, as: .user(bob)).message == message)
        #expect(chat.lastRecords.isEmpty)
        // Whatever the hook says the second time.
        #expect(try chat.run(ReplacedText(send, text: "other"), as: .user(bob)).message == message)
        let another = SendMessage(channelID: general, text: "good", clientID: "c")
        #expect(chat.refusal(of: another, as: .user(bob)) == .clientIDConflict)
    }

    @Test func `MO3 MO4: a replaced text passes the same rules and limits as one that a user sends`() throws {
        var chat = try begin()
        let parent = try chat.say("parent", by: bob)
        try chat.run(
            SetTextRules(rules: [
                TextRuleDefinition(id: "no", words: ["bad"], action: .refuse),
                TextRuleDefinition(id: "hide", words: ["darn"], action: .mask),
            ]), as: .server)
        let send = SendMessage(channelID: general, text: "x")
        let edit = UpdateMessage(channelID: general, messageID: parent.id, text: "x")
        let title = UpdateThread(channelID: general, parentMessageID: parent.id, title: "x")
        #expect(chat.refusal(of: ReplacedText(send, text: "bad"), as: .user(bob)) == .textRefused)
        #expect(chat.refusal(of: ReplacedText(edit, text: "bad"), as: .user(bob)) == .textRefused)
        #expect(chat.refusal(of: ReplacedText(title, text: "bad"), as: .user(bob)) == .textRefused)
        #expect(try chat.run(ReplacedText(send, text: "darn it"), as: .user(bob)).message.text == "**** it")
        #expect(try chat.run(ReplacedText(edit, text: "oh darn"), as: .user(bob)).message.text == "oh ****")
        #expect(try chat.run(ReplacedText(title, text: "darn"), as: .user(bob)).thread.title == "****")
        let long = String(repeating: "a", count: FieldLimits.textBytes + 1)
        #expect(chat.refusal(of: ReplacedText(send, text: long), as: .user(bob)) == .tooLong)
        #expect(chat.refusal(of: ReplacedText(edit, text: long), as: .user(bob)) == .tooLong)
        #expect(chat.refusal(of: ReplacedText(title, text: "a\u{7}"), as: .user(bob)) == .invalidValue)
        #expect(chat.refusal(of: ReplacedText(send, text: ""), as: .user(bob)) == .invalidValue)
        // Everything else is checked as well.
        try chat.run(MuteMember(channelID: general, userID: bob), as: .server)
        #expect(chat.refusal(of: ReplacedText(send, text: "x"), as: .user(bob)) == .muted)
    }

    @Test func `MO4 CH5: a text is also replaced in an ephemeral channel`() throws {
        var chat = Chat()
        try chat.run(CreateChannel(id: general, userIDs: [bob], isEphemeral: true), as: .user(ann))
        chat.forgetWhatWasHeard()
        let send = SendMessage(channelID: general, text: "bad")
        #expect(try chat.run(ReplacedText(send, text: "good"), as: .user(ann)).message.text == "good")
        #expect(chat.heard(by: bob).last?.event.message?.text == "good")
    }

    @Test func `MO4: the hook is asked what the user sent, unless the command is refused or changes nothing`() throws {
        var chat = try begin()
        let send = SendMessage(channelID: general, text: "hello", clientID: "c", customType: "t", data: "{}")
        let question = try #require(try chat.ask(PrepareHook(send), as: .user(bob)).question)
        #expect((question.type, question.by.id, question.channel.id) == ("message.send", bob, general))
        #expect((question.command.text, question.command.data, question.command.clientID) == ("hello", "{}", "c"))
        let message = try chat.run(send, as: .user(bob)).message
        #expect(try chat.ask(PrepareHook(send), as: .user(bob)).question == nil)
        let same = UpdateMessage(channelID: general, messageID: message.id, text: "hello")
        #expect(try chat.ask(PrepareHook(same), as: .user(bob)).question == nil)
        let edit = UpdateMessage(channelID: general, messageID: message.id, text: "hi")
        #expect(try chat.ask(PrepareHook(edit), as: .user(bob)).question?.type == "message.update")
        let title = UpdateThread(channelID: general, parentMessageID: message.id, title: "t")
        #expect(try chat.ask(PrepareHook(title), as: .user(bob)).question?.type == "thread.update")
        // Nobody tells the hook about what is not allowed anyway.
        #expect(chat.refusal(of: PrepareHook(send), as: .user(dan)) == .notFound)
        #expect(chat.refusal(of: PrepareHook(edit), as: .user(cat)) == .notTheAuthor)
        try chat.run(
            SetTextRules(rules: [TextRuleDefinition(id: "no", words: ["hi"], action: .refuse)]), as: .server)
        #expect(chat.refusal(of: PrepareHook(edit), as: .user(bob)) == .textRefused)
        // The app's own texts are not asked about.
        let own = SendMessage(channelID: general, text: "app")
        #expect(try chat.ask(PrepareHook(own), as: .server).question == nil)
    }
}
