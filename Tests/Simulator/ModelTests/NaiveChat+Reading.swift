import ChatModel

extension NaiveChat {
    /// Returns the indexes of a member's unread messages: by others, in the channel itself, existing and not hidden.
    func unread(of user: UserID, in channel: NaiveChannel) -> [Int] {
        guard let member = channel.joined[user] else { return [] }
        return standing(in: channel).filter { place in
            channel.messages[place].sender != user && place >= max(member.read, member.hidden)
        }
    }

    /// Returns the number of unread messages that mention a member.
    func mentions(of user: UserID, in channel: NaiveChannel) -> Int {
        unread(of: user, in: channel).filter { place in
            switch channel.messages[place].content.mentions {
            case .everyone: true
            case .people(let people): people.contains(user)
            case nil: false
            }
        }.count
    }

    /// Returns the last read message, if it is still visible.
    func lastRead(of user: UserID, in channel: NaiveChannel) -> MessageID? {
        guard let member = channel.joined[user], let last = standing(in: channel).last(where: { $0 < member.read })
        else { return nil }
        return last < member.hidden ? nil : channel.messages[last].id
    }

    /// Returns the indexes of messages that are in the channel itself and not deleted.
    func standing(in channel: NaiveChannel) -> [Int] {
        channel.messages.indices.filter { place in
            let message = channel.messages[place]
            return message.deletedAt == nil && (message.parent == nil || message.toChannel)
        }
    }

    mutating func read(_ request: MarkRead, _ user: UserID?) throws(Refused) -> Outcome {
        let user = try person(user)
        var channel = try entered(request.channelID, user)
        try checkKeeps(channel)
        var upTo = channel.messages.count
        if let id = request.messageID {
            guard let place = channel.index(of: id), place >= channel.hidden(from: user) else {
                throw Refused(code: 1000)
            }
            upTo = place + 1
        }
        mark(user, upTo, &channel)
        return readState(user, channel)
    }

    private mutating func mark(_ user: UserID, _ upTo: Int, _ channel: inout NaiveChannel) {
        guard var member = channel.joined[user], upTo > member.read else { return }
        member.read = max(member.read, upTo)
        member.mostRead = max(member.mostRead, upTo)
        channel.joined[user] = member
        channels[channel.id] = channel
        tellRead(user, channel)
    }

    mutating func unread(_ request: MarkUnread, _ user: UserID?) throws(Refused) -> Outcome {
        let user = try person(user)
        var channel = try entered(request.channelID, user)
        try checkKeeps(channel)
        let place = try living(request.messageID, in: channel, user)
        try refuse(1024, when: channel.messages[place].isAdmin)
        try refuse(1032, when: channel.messages[place].parent != nil && !channel.messages[place].toChannel)
        let earlier = channel.joined[user]?.read ?? 0
        channel.joined[user]?.read = min(earlier, place)
        channels[channel.id] = channel
        if place < earlier { tellUnread(user, channel, from: request.messageID) }
        return readState(user, channel)
    }

    mutating func readAll(_ user: UserID?) throws(Refused) -> Outcome {
        let user = try person(user)
        for var channel in channels.values.sorted(by: { $0.id < $1.id }) where !unread(of: user, in: channel).isEmpty {
            mark(user, channel.messages.count, &channel)
        }
        return totals(of: user)
    }

    func readState(_ user: UserID, _ channel: NaiveChannel) -> Outcome {
        let unread = unread(of: user, in: channel)
        return .read(
            unreadCount: unread.count, mentions: mentions(of: user, in: channel),
            firstUnread: unread.first.map { channel.messages[$0].id }, lastRead: lastRead(of: user, in: channel))
    }

    func totals(of user: UserID) -> Outcome {
        let counted = channels.values.filter { $0.joined[user].map { $0.away != .hiddenPreventAutoUnhide } ?? false }
        let counts = counted.map { unread(of: user, in: $0).count }.filter { $0 > 0 }
        let mentions = counted.map { self.mentions(of: user, in: $0) }
        let threads = counted.flatMap { unreadThreads(of: user, in: $0) }
        return .totals(
            messages: counts.reduce(0, +), mentions: mentions.reduce(0, +), channels: counts.count,
            threads: threads.count, replies: threads.reduce(0, +))
    }

    /// Returns the number of unread replies in each thread in which the user wrote the parent or a reply, omitting
    /// zeros.
    private func unreadThreads(of user: UserID, in channel: NaiveChannel) -> [Int] {
        channel.messages.indices.dropFirst(channel.hidden(from: user)).compactMap { place in
            let message = channel.messages[place]
            guard message.sender == user || repliers(to: message.id, in: channel).contains(user) else { return nil }
            let count = unreadReplies(of: user, place, in: channel).count
            return count > 0 ? count : nil
        }
    }

    /// Lists the receipts among users who were members when the message was sent, except its sender.
    func receipts(_ request: ListReceipts, _ user: UserID?) throws(Refused) -> Outcome {
        let channel = try entered(request.channelID, user)
        let place = try living(request.messageID, in: channel, user)
        let message = channel.messages[place]
        try refuse(1032, when: message.parent != nil && !message.toChannel)
        let addressed = channel.joined.filter { $0.key != message.sender && $0.value.present <= place }
        let readers = addressed.filter { $0.value.mostRead > place }.keys.sorted(by: isListedBefore)
        let page = try page(of: readers, request.limit)
        return .receipts(
            page.items, readCount: readers.count, unreadCount: addressed.count - readers.count, isLast: page.isLast)
    }
}
