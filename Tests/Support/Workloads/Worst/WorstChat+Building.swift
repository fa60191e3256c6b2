import ChatDomain
import ChatModel

extension WorstChat {
    /// Creates a chat in which ann, user 0, is in the maximum number of channels and an operator of all super channels.
    /// Everyone is in the super channels.
    package init(_ scale: WorstScale) {
        self.init(empty: scale)
        buildApp()
        buildPeople()
        for number in 0..<scale.halls { buildHall(Worst.hall(number)) }
        buildRooms()
        buildThread()
        buildReactions()
        buildThreads()
        buildLargeMessages()
        buildSanctions()
        buildPublicChannels()
    }

    static let ann = Worst.person(0)
    /// The number of users that the server's settings allow in an ordinary channel.
    static let peopleOfRoom = 100

    private mutating func buildApp() {
        apply(
            (0..<FieldLimits.emojis - 7).map {
                .emojiCreated(Emoji(key: Worst.emoji($0), url: Worst.url, category: Worst.text("g", bytes: 80)))
            })
        apply(
            (0..<FieldLimits.webhooks).map { number in
                .webhookSet(
                    WebhookTarget(
                        webhook: Webhook(id: "webhook-\(number)", url: Worst.url, events: .all),
                        secret: Worst.text("s", bytes: 256)))
            })
    }

    private mutating func buildPeople() {
        // The same number of users are in no channel, to be banned, invited and named.
        for number in 0..<2 * scale.people {
            let id = Worst.person(number)
            apply([
                .userCreated(
                    Event.UserCreated(
                        id: id, nickname: Worst.nickname + String(1_000_000 + number), profileURL: Worst.url,
                        metadata: Worst.metadata, inboxEpoch: "epoch"))
            ])
            if number < scale.people {
                apply([.deviceRegistered(id, Device(provider: .fcm, token: "device of \(number)"))])
            }
        }
    }

    /// Builds a super channel of everyone, with ann and the maximum number of others as operators.
    mutating func buildHall(_ id: ChannelID, people: Int? = nil) {
        create(id, isSuper: true)
        let people = (0..<(people ?? scale.people)).map(Worst.person)
        apply(people.map { join($0, id) })
        apply(people.prefix(FieldLimits.operatorsPerChannel).map { .operatorAdded(id, $0) })
    }

    func join(_ user: UserID, _ channel: ChannelID) -> Event {
        .memberJoined(Event.MemberJoined(channel: channel, user: user, role: .member, seesHistory: true))
    }

    mutating func create(_ id: ChannelID, isSuper: Bool = false, isPublic: Bool = true, name: String = Worst.name) {
        apply([
            .channelCreated(
                Event.ChannelCreated(
                    id: id, epoch: "epoch", name: name, isPublic: isPublic, isSuper: isSuper, coverURL: Worst.url,
                    data: Worst.data, customType: Worst.customType, metadata: Worst.metadata, creatorRole: .member))
        ])
    }

    /// Builds channels of the same 100 users, with unread messages that mention all of them.
    private mutating func buildRooms() {
        let people = (0..<min(Self.peopleOfRoom, scale.people)).map(Worst.person)
        for number in 0..<scale.channels - scale.halls - 2 {
            let id = Worst.room(number)
            create(id)
            apply(people.map { join($0, id) } + [.operatorAdded(id, Self.ann)])
            apply((0..<8).map { sent(in: id, by: people[$0 + 1], text: Worst.message, mentions: .channel) })
        }
    }

    /// Returns the event of a typical message.
    mutating func sent(
        in channel: ChannelID, by sender: UserID?, text: String, parent: MessageID? = nil, data: String? = nil,
        mentions: Mentions? = nil, extras: MessageExtras? = nil
    ) -> Event {
        .messageSent(
            Event.MessageSent(
                channel: channel, id: freshID(), kind: .text, text: text, sender: sender, parent: parent,
                replyToChannel: parent != nil, data: data, mentions: mentions, extras: extras))
    }

    /// Sends a message, without measuring.
    @discardableResult
    mutating func send(in channel: ChannelID, by sender: UserID?, text: String = Worst.message) -> MessageID {
        let event = sent(in: channel, by: sender, text: text)
        apply([event], by: sender)
        return event.sentID
    }

    /// Builds a thread in which everyone replies repeatedly to one message by ann.
    private mutating func buildThread() {
        parent = send(in: Worst.hall(0), by: Self.ann)
        let texts = (0..<64).map { Worst.text("a", bytes: 16_378) + String(100_000 + $0) }
        for begin in stride(from: 0, to: scale.replies, by: 100) {
            let replies = (begin..<begin + 100).map { number in
                sent(
                    in: Worst.hall(0), by: Worst.person(number % scale.people), text: texts[number % 64],
                    parent: parent)
            }
            self.replies += replies.map(\.sentID)
            apply(replies)
        }
    }

    private mutating func buildReactions() {
        let hall = Worst.hall(0)
        reacted = send(in: hall, by: Self.ann)
        let reacted = reacted
        for key in 0..<scale.reactionKeys {
            apply(
                (0..<scale.people).map {
                    .reactionAdded(hall, reacted, key: Worst.emoji(key), by: Worst.person($0))
                })
        }
    }

    /// Builds many threads in which ann participates; in the newest ones, others wrote as much as one page shows.
    private mutating func buildThreads() {
        create(Worst.threads, isSuper: true)
        apply((0..<Self.peopleOfRoom).map { join(Worst.person($0), Worst.threads) })
        let long = Worst.text("a", bytes: 16_384)
        for number in 0..<scale.threads {
            let isLong = number >= scale.threads - 100
            let parent = sent(in: Worst.threads, by: Worst.person(1), text: isLong ? long : "parent")
            apply([parent])
            let count = isLong ? min(100, scale.largeMessages) : 1
            apply(
                (0..<count).map { reply in
                    sent(
                        in: Worst.threads, by: Worst.person(reply % Self.peopleOfRoom), text: isLong ? long : "reply",
                        parent: parent.sentID)
                })
            apply([
                .readMarked(
                    Event.ReadMark(channel: Worst.threads, user: Self.ann, thread: parent.sentID, upTo: UInt64(number)))
            ])
        }
    }

    /// Builds messages of the maximum size, each a reply to one of the same size, with all kinds of reactions. Many in
    /// the middle have the same timestamp.
    private mutating func buildLargeMessages() {
        let id = Worst.large
        create(id, isSuper: true)
        apply((0..<min(2 * FieldLimits.mentions, scale.people)).map { join(Worst.person($0), id) })
        let parent = send(in: id, by: Self.ann)
        for half in 0..<2 {
            for _ in 0..<scale.largeMessages / 4 { largeMessage(to: parent) }
            guard half == 0 else { continue }
            apply((0..<scale.largeMessages / 2).map { _ in sentLarge(to: parent) })
            ties = time
        }
    }

    private mutating func sentLarge(to parent: MessageID) -> Event {
        var extras = MessageExtras()
        extras.metaArrays = Worst.metaArrays
        return sent(
            in: Worst.large, by: Self.ann, text: Worst.message, parent: parent, data: Worst.data,
            mentions: .users((1...FieldLimits.mentions).map(Worst.person)), extras: extras)
    }

    private mutating func largeMessage(to parent: MessageID) {
        let event = sentLarge(to: parent)
        apply([event], by: Self.ann)
        apply(
            (0..<scale.reactionKeys).flatMap { key in
                (0..<10).map {
                    .reactionAdded(Worst.large, event.sentID, key: Worst.emoji(key), by: Worst.person($0))
                }
            })
    }

    /// Builds bans and mutes in hall 1.
    private mutating func buildSanctions() {
        let end = time + 3_600_000_000
        let hall = Worst.hall(1)
        apply(
            (0..<scale.people).map { number in
                .memberBanned(
                    Event.Sanctioned(
                        channel: hall, user: Worst.person(scale.people + number), until: end,
                        description: Worst.description))
            }, by: Self.ann)
        // For everyone but the caller.
        apply(
            (1..<scale.people).map { number in
                .memberMuted(
                    Event.Sanctioned(
                        channel: hall, user: Worst.person(number), until: end, description: Worst.description))
            }, by: Self.ann)
    }

    private mutating func buildPublicChannels() {
        let name = Worst.text("a", bytes: 200)
        for number in 0..<scale.publicChannels { create(Worst.channel("public", number), name: name) }
    }
}

extension Event {
    /// The id of the sent message.
    var sentID: MessageID {
        guard case .messageSent(let sent) = self else { preconditionFailure("no message") }
        return sent.id
    }
}
