import ChatModel

@testable import ChatDomain

/// What the tests of imports share: lines of a channel `old`, and an import `i` (`PR3`).
protocol ImportScene {}

extension ImportScene {
    static var begin: BeginImport { BeginImport(importID: "i", source: "old") }
    static var finish: FinishImport { FinishImport(importID: "i") }
    /// In milliseconds since 1970, long before the tests' clock.
    static var then: Int64 { 1_500_000_000_000 }

    func user(_ id: UserID) -> ImportLine {
        var line = ImportLine(type: "user")
        line.user = ImportedUser(id: id)
        return line
    }

    func channel(
        _ id: ChannelID = "old", _ change: (inout ImportedChannel) -> Void = { _ in }
    ) -> ImportLine {
        var line = ImportLine(type: "channel")
        var channel = ImportedChannel(id: id, createdAt: Self.then)
        change(&channel)
        line.channel = channel
        return line
    }

    func member(_ user: UserID, of id: ChannelID = "old", _ role: MemberRole = .member) -> ImportLine {
        var line = ImportLine(type: "member")
        line.channelID = id
        line.member = ImportedMember(user: ImportedUser(id: user))
        line.member?.role = role
        return line
    }

    func message(
        _ id: String, by user: UserID? = ann, at time: Int64 = 0, in channel: ChannelID = "old",
        to parent: String? = nil,
        _ change: (inout ImportedMessage) -> Void = { _ in }
    ) -> ImportLine {
        var line = ImportLine(type: "message")
        var message = ImportedMessage(id: id, channelID: channel, createdAt: Self.then + time)
        message.text = "text \(id)"
        message.user = user.map { ImportedUser(id: $0) }
        message.parentMessageID = parent
        change(&message)
        line.message = message
        return line
    }

    func reaction(_ key: String, to message: String, by user: UserID = bob) -> ImportLine {
        var line = ImportLine(type: "reaction")
        (line.channelID, line.messageID, line.key, line.userID) = ("old", message, key, user)
        return line
    }

    func mark(_ user: UserID, _ message: String?) -> ImportLine {
        var line = ImportLine(type: "read")
        (line.channelID, line.userID, line.messageID) = ("old", user, message)
        return line
    }

    func sanction(_ type: String, _ user: UserID, until: Int64 = Sanction.endless) -> ImportLine {
        var line = ImportLine(type: type)
        (line.channelID, line.userID, line.until, line.description) = ("old", user, until, "rude")
        (line.at, line.by) = (Self.then, ann)
        return line
    }

    func thread(_ parent: String, title: String) -> ImportLine {
        var line = ImportLine(type: "thread")
        (line.channelID, line.parentMessageID, line.title) = ("old", parent, title)
        return line
    }

    /// A chat in which the import `i` has begun.
    func chat(_ users: [UserID] = [ann, bob, cat], settings: ChatSettings = ChatSettings()) throws -> Chat {
        var chat = Chat(users, settings: settings)
        try chat.run(Self.begin, as: .server)
        return chat
    }

    @discardableResult
    func add(_ lines: [ImportLine], at first: Int, to chat: inout Chat) throws(Rejection) -> Import {
        try chat.run(AddImportLines(importID: "i", firstLine: first, lines: lines), as: .server).import
    }

    func messages(_ chat: inout Chat, in channel: ChannelID = "old") throws -> [Message] {
        try chat.ask(ListMessages(channelID: channel, limit: 100, replies: .all, includeReactions: true), as: .server)
            .messages
    }

    /// Returns why a command is refused; `nil` if it is not.
    func refusal(of change: some Change, in chat: inout Chat) -> Rejection? {
        do throws(Rejection) {
            try chat.run(change, as: .server)
            return nil
        } catch {
            return error
        }
    }

    func refusal(of lines: [ImportLine], at first: Int, in chat: inout Chat) -> Rejection? {
        refusal(of: AddImportLines(importID: "i", firstLine: first, lines: lines), in: &chat)
    }

    /// Two members, a thread, reactions, a deleted and a changed message.
    var history: [ImportLine] {
        [
            channel { ($0.name, $0.createdBy, $0.customType) = ("Old", ann, "team") }, member(ann, .operator),
            member(bob),
            message("1"), message("2", by: bob, at: 10, to: "1"), reaction("sob", to: "1"),
            reaction("sob", to: "1", by: ann),
            message("3", by: nil, at: 10),
            message("4", at: 20) { $0.updatedAt = Self.then + 30 },
            message("5", at: 20) { ($0.deletedAt, $0.text) = (Self.then + 40, nil) },
            thread("1", title: "About"), sanction("mute", bob), sanction("ban", cat), mark(bob, "2"),
        ]
    }
}
