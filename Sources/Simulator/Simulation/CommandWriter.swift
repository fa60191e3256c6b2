import ChatModel

/// The simulated users' knowledge of their chat, from the answers they received.
struct Knowledge {
    static let people = ["ann", "bob", "cat", "dan"].compactMap { UserID($0) }
    static let channels = ["c1", "c2", "c3"].compactMap { ChannelID($0) }

    fileprivate(set) var channels: Set<ChannelID> = []
    private(set) var messages: [ChannelID: [MessageID]] = [:]

    mutating func learn(_ request: any Request, _ message: Message?) {
        if let created = (request as? CreateChannel)?.id { channels.insert(created) }
        if let deleted = request as? DeleteChannel {
            channels.remove(deleted.channelID)
            messages[deleted.channelID] = nil
        }
        if request is SendMessage, let message { messages[message.channelID, default: []].append(message.id) }
    }
}

extension Knowledge {
    /// Returns a query for a recent message, as the backend sends it over HTTP; `nil` if there are no messages.
    func newest(_ random: inout SplitMix) -> GetMessage? {
        let channel = random.pick(Self.channels)
        return messages[channel]?.last.map { GetMessage(channelID: channel, messageID: $0) }
    }

    mutating func learn(created: [ChannelID]) { channels.formUnion(created) }
}

/// Generates mostly meaningful commands.
struct CommandWriter {
    private var serial = 0

    /// - Parameter subscriptions: The rooms that the client is subscribed to.
    mutating func next(
        by client: Int, of user: UserID, in subscriptions: Set<Room>, _ known: Knowledge, _ random: inout SplitMix
    ) -> any Request {
        serial += 1
        let id = random.pick(Knowledge.channels)
        guard known.channels.contains(id) else { return creation(of: id, by: user, &random) }
        if !subscriptions.contains(.channel(id)), random.chance(percent: 50) { return JoinChannel(channelID: id) }
        let message = known.messages[id].flatMap { messages in
            messages.isEmpty ? nil : random.pick(Array(messages.suffix(random.chance(percent: 70) ? 6 : 1_000)))
        }
        let choice = random.below(100)
        guard let message, choice >= 40 else { return choice < 90 ? send(id, client, &random) : ListEmojis() }
        switch choice {
        case 40..<46: return reply(to: message, in: id, client, &random)
        case 46..<54: return UpdateMessage(channelID: id, messageID: message, text: "edited \(serial)")
        case 54..<58: return DeleteMessage(channelID: id, messageID: message)
        case 58..<68: return AddReaction(channelID: id, messageID: message, key: random.pick(["sob", "rage"]))
        case 68..<75: return RemoveReaction(channelID: id, messageID: message, key: random.pick(["sob", "rage"]))
        case 75..<78: return GetMessage(channelID: id, messageID: message)
        case 78..<81: return MarkRead(channelID: id, messageID: random.chance(percent: 50) ? message : nil)
        case 81..<84: return MarkUnread(channelID: id, messageID: message)
        case 84..<88: return JoinChannel(channelID: id)
        case 88..<91: return LeaveChannel(channelID: id)
        case 91: return InviteToChannel(channelID: id, userIDs: [random.pick(Knowledge.people)])
        case 92: return MuteMember(channelID: id, userID: random.pick(Knowledge.people), seconds: 5)
        case 93:
            let other = random.pick(Knowledge.people)
            return random.chance(percent: 60)
                ? BanMember(channelID: id, userID: other, seconds: 2) : RemoveMember(channelID: id, userID: other)
        case 94: return random.chance(percent: 40) ? FreezeChannel(channelID: id) : UnfreezeChannel(channelID: id)
        case 95: return UpdateChannel(channelID: id, name: "name \(serial)")
        case 96: return UpdateThread(channelID: id, parentMessageID: message, title: "title \(serial)")
        case 97: return HideChannel(channelID: id)
        case 98: return random.chance(percent: 30) ? DeleteChannel(channelID: id) : ListMembers(channelID: id)
        default:
            let other = random.pick(Knowledge.people)
            return random.chance(percent: 60) ? BlockUser(userID: other) : UnblockUser(userID: other)
        }
    }

    private func creation(of id: ChannelID, by user: UserID, _ random: inout SplitMix) -> any Request {
        CreateChannel(
            id: id, name: "channel \(serial)", userIDs: Knowledge.people.filter { _ in random.chance(percent: 60) },
            operatorUserIDs: [user], isPublic: true)
    }

    /// Makes a message, occasionally a long one, so that frames differ in size.
    private func send(_ id: ChannelID, _ client: Int, _ random: inout SplitMix) -> any Request {
        let size = random.chance(percent: 10) ? random.below(700) : random.below(40)
        return SendMessage(
            channelID: id, text: "message \(serial) " + String(repeating: "x", count: size),
            clientID: "\(client)-\(serial)",
            expiresInSeconds: random.chance(percent: 8) ? 1 + random.below(4) : nil)
    }

    private func reply(to message: MessageID, in id: ChannelID, _ client: Int, _ random: inout SplitMix) -> any Request
    {
        SendMessage(
            channelID: id, text: "reply \(serial)", clientID: "\(client)-\(serial)", parentMessageID: message,
            replyToChannel: random.chance(percent: 50) ? nil : false)
    }
}
