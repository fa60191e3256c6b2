import ChatModel
import Testing

@testable import ChatDomain

/// What an import refuses, and its limits (`PR3`).
@Suite struct ImportRefusalTests: ImportScene {
    @Test func `PR3: a line that cannot be imported is named, and none of its batch is imported`() throws {
        let base = [channel(), member(ann), message("1"), message("2", at: 5, to: "1"), message("a", by: nil, at: 5)]
        let cases: [(ImportLine, Rejection)] = [
            (message("3", by: "nobody", at: 6), Rejection(.notFound, "line 7: user nobody")),
            (
                message("3", at: 4),
                Rejection(.invalidValue, "line 7: message.created_at: earlier than that of the message before")
            ),
            (message("1", at: 6), Rejection(.invalidValue, "line 7: message.id: another message has it")),
            (
                message("1") { $0.text = "other" },
                Rejection(.invalidValue, "line 7: message.id: another message has it")
            ),
            (message("", at: 6), Rejection(.invalidValue, "line 7: message.id: must have 1 to 128 bytes")),
            (message("3", at: 6, to: "x"), Rejection(.notFound, "line 7: message.parent_message_id")),
            (message("3", at: 6, to: "2"), Rejection(.threadDepth, "line 7")),
            (message("3", at: 6, to: "a"), Rejection(.wrongMessageKind, "line 7: message.parent_message_id")),
            (
                message("3", at: 6, in: "general"),
                Rejection(.notFound, "line 7: channel general: the import has not created it")
            ),
            (
                message("3", at: .max / 2),
                Rejection(.invalidValue, "line 7: message.created_at: must be between 1970 and now")
            ),
            (
                message("3", at: -Self.then - 1),
                Rejection(.invalidValue, "line 7: message.created_at: must be between 1970 and now")
            ),
            (message("3", at: 6) { $0.text = "" }, Rejection(.invalidValue, "line 7: message.text: must not be empty")),
            (
                message("3", at: 6) { $0.text = String(repeating: "x", count: FieldLimits.textBytes + 1) },
                Rejection(.tooLong, "line 7: message.text: at most 16384 bytes")
            ),
            (
                message("3", at: 6) { $0.kind = .admin },
                Rejection(.invalidValue, "line 7: message.user: required, except for kind admin, which has none")
            ),
            (
                message("3", at: 6) { $0.files = [MessageFile(url: "https://f")] },
                Rejection(.invalidValue, "line 7: message.files: only for kind file or files")
            ),
            (reaction("sob", to: "x", by: ann), Rejection(.notFound, "line 7: message_id")),
            (reaction("nope", to: "1", by: ann), Rejection(.unknownEmoji, "line 7: nope")),
            (reaction("sob", to: "1", by: "nobody"), Rejection(.notFound, "line 7: user nobody")),
            (channel("general"), Rejection(.duplicateChannelID, "line 7: channel general")),
            (channel("other") { $0.createdBy = "nobody" }, Rejection(.notFound, "line 7: user nobody")),
            (
                channel("other") { ($0.isSuper, $0.isDistinct) = (true, true) },
                Rejection(.distinctSuperConflict, "line 7")
            ),
            (member("nobody"), Rejection(.notFound, "line 7: user nobody")),
            (mark(bob, "1"), Rejection(.notAMember, "line 7: user bob")),
            (mark(ann, "x"), Rejection(.notFound, "line 7: message_id")),
            (
                sanction("ban", ann),
                Rejection(.invalidValue, "line 7: user_id: a member or invited user cannot be banned")
            ),
            (thread("2", title: "x"), Rejection(.threadDepth, "line 7")),
            (user(.guest(1, 2)), Rejection(.invalidValue, "line 7: user.id: reserved for guests")),
            (ImportLine(type: "message"), Rejection(.badRequest, "line 7: message is missing")),
            (ImportLine(type: "read"), Rejection(.badRequest, "line 7: channel_id is missing")),
        ]
        for (line, refusal) in cases {
            var chat = try chat()
            try chat.create(with: [bob])
            try add(base, at: 1, to: &chat)
            let count = chat.records.count
            let batch = [message("6", at: 5), line, message("8", at: 9)]
            #expect(self.refusal(of: batch, at: 6, in: &chat) == refusal)
            #expect(chat.records.count == count)
            #expect(try chat.ask(GetImportStatus(importID: "i"), as: .server).import.lastLine == 5)
        }
    }

    @Test func `PR3: unknown kinds of lines and those without an equivalent are counted only`() throws {
        var chat = try chat()
        let lines = ["export", "file", "report", "membership", "end", "poll"].map { ImportLine(type: $0) }
        #expect(try add(lines, at: 1, to: &chat).lastLine == 6)
        #expect(chat.records.count == 3 + 2)
    }

    @Test func `PR3: the limits of users and channels hold for imports`() throws {
        var settings = ChatSettings()
        settings.channelsPerUser = 2
        settings.membersPerChannel = 2
        var chat = try chat(settings: settings)
        try add([channel(), member(ann), member(bob)], at: 1, to: &chat)
        #expect(
            refusal(of: [member(cat)], at: 4, in: &chat)
                == Rejection(.memberLimit, "line 4: at most 2 members"))
        try add([channel("two"), member(ann, of: "two"), channel("three")], at: 4, to: &chat)
        #expect(
            refusal(of: [member(ann, of: "three")], at: 7, in: &chat)
                == Rejection(.channelLimit, "line 7: user ann"))
        #expect(
            refusal(of: Array(repeating: member(ann), count: 251), at: 7, in: &chat)
                == Rejection(.tooMany, "lines: at most 250"))
        #expect(
            refusal(of: [member(ann)], at: FieldLimits.importLines + 1, in: &chat)
                == Rejection(.invalidValue, "first_line: an import has lines 1 to 10000000000"))
    }

    @Test func `PR3: a bounded number of imports is under way, and the oldest that have ended are forgotten`() throws {
        var chat = Chat([ann])
        func begin(_ id: String) -> Rejection? { refusal(of: BeginImport(importID: id, source: "s"), in: &chat) }
        for number in 0..<FieldLimits.importsAtOnce { #expect(begin("i\(number)") == nil) }
        #expect(begin("more") == Rejection(.tooMany, "imports: at most 4 at once, now i0, i1, i2, i3"))
        #expect(begin("i0") == nil)
        for number in 0..<FieldLimits.importsKept {
            try chat.run(FinishImport(importID: number == 0 ? "i0" : "n\(number - 1)"), as: .server)
            #expect(begin("n\(number)") == nil)
        }
        #expect(chat.state.imports.runs.count == FieldLimits.importsKept)
        #expect(chat.refusal(of: GetImportStatus(importID: "i0"), as: .server) == .notFound)
        #expect(begin("a b") == Rejection(.invalidValue, "import_id: must match [A-Za-z0-9_.~-]{1,100}"))
        #expect(
            refusal(of: BeginImport(importID: "i1", source: "t"), in: &chat)
                == Rejection(.invalidValue, "source: the import with this id has another"))
    }

    @Test func `PR3: records of imports that do not exist and of channels that are not hidden are ignored`() throws {
        let state = ChatState()
        let deleted = Record(event: .messageDeleted("old", MessageID(high: 0, low: 0)), at: 1, by: nil, positions: [])
        for event: Event in [
            .importAdded(.init(id: "x", lastLine: 1, records: [deleted])),
            .importSettled(
                .init(
                    id: "x", opened: [.init(channel: "old", distinctKey: nil)], discarded: ["old"], discards: false,
                    isLast: true)),
            .importStarted(.init(id: "x", source: "s")),
            .importAdded(.init(id: "x", lastLine: 1, records: [deleted])),
        ] {
            let record = Record(event: event, at: 1, by: nil, positions: [])
            #expect(state.expects(record))
            state.evolve(record)
            #expect(state.effects(of: record, ChatSettings()).isEmpty)
        }
        #expect(state.channelCount == 0)
    }

    /// No two ids with the same hash are known, so a record makes up the message with the hash of another id.
    @Test func `PR3: an id whose hash another message has is refused, and does not stand for that message`() throws {
        var chat = try chat()
        try add([channel(), member(ann)], at: 1, to: &chat)
        var sent = Event.MessageSent(
            channel: "old", id: ImportedID(source: "old", original: "1").at(Self.then), kind: .text, text: "text 1",
            sender: ann, replyToChannel: false)
        sent.extras = MessageExtras()
        sent.extras?.sourceID = "other"
        let record = Record(event: .messageSent(sent), at: Self.then, by: ann, positions: [])
        chat.state.evolve(
            Record(event: .importAdded(.init(id: "i", lastLine: 2, records: [record])), at: 1, by: nil, positions: []))
        let taken = Rejection(.invalidValue, "line 3: message.id: another message has it")
        #expect(refusal(of: [message("1")], at: 3, in: &chat) == taken)
        #expect(
            refusal(of: [message("2", at: 1, to: "1")], at: 3, in: &chat)
                == Rejection(.notFound, "line 3: message.parent_message_id"))
        #expect(
            refusal(of: [reaction("sob", to: "1", by: ann)], at: 3, in: &chat)
                == Rejection(.notFound, "line 3: message_id"))
        try add([message("2", at: 1)], at: 3, to: &chat)
    }

    @Test func `PR3: the counts of a tampered snapshot never trap`() throws {
        let state = ChatState()
        try state.load(
            .imports([
                ImportPart(
                    id: "i", source: "s", stage: .running, lastLine: .max, startedAt: .min, endedAt: nil,
                    channelCount: .max, settledCount: .max, messageCount: .max)
            ]))
        let context = Context(
            caller: .server, now: 1, freshID: MessageID(high: 0, low: 0), settings: ChatSettings())
        let add = AddImportLines(importID: "i", firstLine: 1, lines: [channel()])
        #expect(try add.decide(in: state, context).events.isEmpty)
        let created = Event.ChannelCreated(
            id: "old", epoch: "", name: "", isPublic: false, isSuper: false, metadata: [:], creatorRole: .member)
        let records = [Record(event: .channelCreated(created), at: 1, by: nil, positions: [])]
        for event: Event in [
            .importAdded(.init(id: "i", lastLine: .max, records: records)),
            .importSettled(
                .init(
                    id: "i", opened: [.init(channel: "old", distinctKey: nil)], discarded: [], discards: false,
                    isLast: true)),
        ] {
            state.evolve(Record(event: event, at: 1, by: nil, positions: []))
        }
        #expect(state.channelCount == 1)
    }
}
