import ChatDomain
import ChatModel

extension WorstCase {
    private static func work(
        _ name: String, _ note: String, runs: Int? = nil,
        prepare: @escaping (inout WorstChat, Int) -> Void = { _, _ in },
        _ body: @escaping (ChatState, inout LiveState, ChatSettings, Int64) -> Int
    ) -> WorstCase {
        WorstCase(command: name, note: note, runs: runs) { chat, number in
            prepare(&chat, number)
            return chat.measure(work: body)
        }
    }

    private static func file(_ number: Int, _ channel: ChannelID) -> UploadedFile {
        UploadedFile(
            id: FileID(high: UInt64(number), low: 1), channel: channel, owner: Worst.person(number % 100), name: "file",
            size: 1, mimeType: "image/png")
    }

    private static func outsider(_ chat: WorstChat, _ number: Int) -> UserID {
        Worst.person(chat.scale.people + number)
    }

    /// The work of the engine's queue outside the table's commands.
    static var outside: [WorstCase] {
        [
            WorstCase(command: "connect", note: "2,000 channels: rooms and unread totals", runs: nil) { chat, _ in
                chat.measureArrival(of: ann)
            },
            work("connect", "2,000 channels: announcing presence") { state, live, settings, now in
                live.connect(ann, in: state, at: now, settings).count
            },
            work("disconnect", "2,000 channels") { state, live, settings, now in
                live.disconnect(ann, in: state, at: now, settings).count
            },
            work("departures", "100 users in 2,000 channels each", runs: 2) { chat, number in
                let now = chat.time - 10_000
                for number in 0..<PresenceTable.departuresAtOnce {
                    chat.connectAndLeave(Worst.person(number % chat.scale.people), at: now)
                }
            } _: { state, live, settings, now in
                live.depart(in: state, at: now, settings).count
            },
            work("typing, expired", "100,000 typing users", runs: 2) { chat, _ in
                chat.startTyping()
                chat.pass(milliseconds: 60_000)
            } _: { state, live, _, now in
                live.expire(in: state, at: now).count
            },
            WorstCase(command: "guests, checked", note: "10,000 absent guests found", runs: 3) {
                chat, number in
                chat.apply(
                    (0..<chat.scale.guests).map {
                        .userCreated(
                            Event.UserCreated(
                                id: .guest(UInt64($0), UInt64(1_000 + number)), nickname: "", metadata: [:],
                                inboxEpoch: "epoch"))
                    })
                chat.pass(milliseconds: 100_000_000)
                return chat.measure { state, context in
                    _ = state.guestsDue(after: nil, context)
                    return []
                }
            },
            WorstCase(command: "guests, checked", note: "100 absent guests removed", runs: 3) { chat, _ in
                var due: [UserID] = []
                _ = chat.measure { state, context in
                    due = state.guestsDue(after: nil, context).due
                    return []
                }
                return chat.measure { state, context in state.departures(of: due[...], context).events }
            },
            .query("100,000 messages, a file") { chat, number in
                (PrepareUpload(channelID: Worst.hall(0)), ann)
            },
            .change("20,000 unsent files, 100 of them expired", runs: 1) { chat, _ in
                chat.apply((0..<chat.scale.files).map { .fileRegistered(file($0, Worst.hall(4))) })
                chat.pass(milliseconds: 2 * FieldLimits.unsentFileMilliseconds)
                return (
                    RegisterFile(
                        id: FileID(high: 1, low: 2), channelID: Worst.hall(0), name: "file", size: 1,
                        mimeType: "image/png"), ann
                )
            },
            .query("one of 20,000") { _, _ in (GetFile(id: FileID(high: 1, low: 2)), ann) },
            work("startup, files", "20,000 files") { state, _, _, _ in state.fileIDs.count },
        ]
    }

    /// The slowest of many runs in which growing storage is occasionally moved.
    static var growth: [WorstCase] {
        let channel = Worst.channel("grown", 0)
        return [
            slowest(of: JoinChannel.method, "the slowest of 20,000 consecutive commands", \.people) { chat, number in
                if number == 0 { chat.create(channel, isSuper: true) }
                return try chat.measure(JoinChannel(channelID: channel), as: .user(outsider(chat, number)))
            },
            slowest(of: SendMessage.method, "the slowest of 100,000 consecutive commands", \.replies) { chat, number in
                chat.removeWebhooks()
                return try chat.measure(
                    SendMessage(channelID: channel, text: "text", clientID: "\(number)"),
                    as: .user(outsider(chat, number % 100)))
            },
            slowest(of: AddReaction.method, "the slowest of 20,000 consecutive commands", \.people) { chat, number in
                if number == 0 { chat.reacted = chat.send(in: channel, by: outsider(chat, 0)) }
                return try chat.measure(
                    AddReaction(channelID: channel, messageID: chat.reacted, key: "sob"),
                    as: .user(outsider(chat, number)))
            },
            slowest(of: MuteMember.method, "the slowest of 20,000 consecutive commands", \.people) { chat, number in
                try chat.measure(MuteMember(channelID: channel, userID: outsider(chat, number)), as: .server)
            },
        ]
    }

    /// Operations that remove many items, each run once.
    static var ends: [WorstCase] {
        [
            .change("20,000 members, 20,000 files", runs: 1) { chat, _ in (DeleteChannel(channelID: Worst.hall(4)), nil)
            },
            WorstCase(command: "follow-up", note: "100 of 20,000 files of a deleted channel", runs: nil) { chat, _ in
                while case .memberLeft = chat.state.followUp().first { chat.apply(chat.state.followUp()) }
                return chat.measure { state, _ in state.followUp() }
            },
            .change("20,000 members", runs: 3) { chat, number in
                (DeleteChannel(channelID: Worst.hall(5 + number)), nil)
            },
            .change("400 open invitations", runs: 2) { chat, number in
                let id = Worst.channel("invited", number)
                chat.create(id, isSuper: true)
                chat.apply(
                    (0..<min(FieldLimits.invitationsPerChannel, chat.scale.people)).map {
                        .invited(id, Worst.person(chat.scale.people + $0), by: ann, role: .member)
                    })
                return (DeleteChannel(channelID: id), nil)
            },
            .change("100 reactions by 20,000 users each", runs: 1) { chat, _ in
                chat.reacted = chat.send(in: Worst.hall(3), by: ann)
                for key in 0..<chat.scale.reactionKeys {
                    chat.apply(
                        (0..<chat.scale.people).map {
                            .reactionAdded(
                                Worst.hall(3), chat.reacted, key: Worst.emoji(key), by: Worst.person($0))
                        })
                }
                return (DeleteMessage(channelID: Worst.hall(3), messageID: chat.reacted), ann)
            },
            .change("100,000 replies, 100 reactions by 20,000 users each", runs: 1) { _, _ in
                (DeleteChannel(channelID: Worst.hall(0)), nil)
            },
            .change("a member of 2,000 channels", runs: 1) { _, _ in
                (DeleteUser(userID: ann, deleteMessages: true), nil)
            },
            WorstCase(command: "erasure", note: "a turn among 100,000 messages", runs: nil) { chat, _ in
                chat.measure { state, _ in
                    var scan = ErasureScan(of: ann, in: state)
                    return scan.turn(in: state).events
                }
            },
        ]
    }
}

extension WorstChat {
    fileprivate mutating func connectAndLeave(_ user: UserID, at time: Int64) {
        _ = live.connect(user, in: state, at: time, ChatSettings())
        _ = live.disconnect(user, in: state, at: time, ChatSettings())
    }

    /// Makes as many users type as may do so concurrently.
    fileprivate mutating func startTyping() {
        let people = min(Self.peopleOfRoom, scale.people)
        for number in 0..<min(TypingTable.limit / people, scale.channels - scale.halls - 2) {
            for person in 0..<people {
                _ = try? StartTyping(channelID: Worst.room(number)).carryOut(
                    in: state, &live, context(.user(Worst.person(person))))
            }
        }
    }

    /// Removes the webhooks, because pushes would dominate the measurement.
    fileprivate mutating func removeWebhooks() {
        if !state.webhooks.isEmpty { apply(state.webhooks.map { .webhookDeleted($0.webhook) }) }
    }
}
