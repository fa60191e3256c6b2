import ChatModel

extension NaiveChat {
    /// Returns the part of the thread that is the same for everyone.
    func thread(of id: MessageID, in channel: NaiveChannel) -> SeenThread {
        let replies = channel.replies(to: id)
        let users = repliers(to: id, in: channel)
        // Sort by number of replies; among equals, the first to reply comes first.
        let counts = users.map { user in replies.filter { channel.messages[$0].sender == user }.count }
        let ranking = users.indices.sorted { counts[$0] != counts[$1] ? counts[$0] > counts[$1] : $0 < $1 }
        return SeenThread(
            parent: id, replyCount: replies.count,
            mostReplied: ranking.prefix(rules.mostRepliedUsers).map { users[$0] },
            lastReplyAt: replies.last.map { channel.messages[$0].at }, title: channel.threadTitles[id],
            data: channel.threadData[id])
    }

    /// Returns the authors of the existing replies, in the order of their first replies.
    func repliers(to id: MessageID, in channel: NaiveChannel) -> [UserID] {
        var users: [UserID] = []
        for place in channel.replies(to: id) {
            if let sender = channel.messages[place].sender, !users.contains(sender) { users.append(sender) }
        }
        return users
    }

    /// Returns the number of the channel's first messages that a user has read in a thread: at least up to its parent,
    /// and all from before they joined or cleared the history.
    private func threadRead(of user: UserID, _ parent: Int, in channel: NaiveChannel) -> Int {
        guard let member = channel.joined[user] else { return 0 }
        return member.threadRead[channel.messages[parent].id] ?? max(parent + 1, member.present, member.hidden)
    }

    func unreadReplies(of user: UserID, _ parent: Int, in channel: NaiveChannel) -> [Int] {
        let start = max(threadRead(of: user, parent, in: channel), channel.hidden(from: user))
        return channel.replies(to: channel.messages[parent].id).filter { place in
            place >= start && channel.messages[place].sender != user
        }
    }

    func seenThread(_ parent: Int, in channel: NaiveChannel, by user: UserID?) -> SeenThread {
        let id = channel.messages[parent].id
        var thread = self.thread(of: id, in: channel)
        guard let user else { return thread }
        let read = threadRead(of: user, parent, in: channel)
        let hidden = channel.hidden(from: user)
        let replies = channel.replies(to: id)
        thread.unreadCount = unreadReplies(of: user, parent, in: channel).count
        if let last = replies.last(where: { $0 < read }), last >= hidden { thread.lastRead = channel.messages[last].id }
        return thread
    }

    /// Returns the index of a message that may have a thread.
    private func threadParent(_ id: MessageID, in channel: NaiveChannel, _ user: UserID?) throws(Refused) -> Int {
        try checkKeeps(channel)
        guard let place = channel.index(of: id) else { throw Refused(code: 1000) }
        try refuse(1022, when: place < channel.hidden(from: user))
        try refuse(1023, when: channel.messages[place].deletedAt != nil)
        try refuse(1020, when: channel.messages[place].parent != nil)
        return place
    }

    private func reply(
        _ id: MessageID, to parent: MessageID, in channel: NaiveChannel, _ user: UserID?
    ) throws(Refused) -> Int {
        guard let place = channel.index(of: id), place >= channel.hidden(from: user),
            channel.messages[place].parent == parent
        else { throw Refused(code: 1000) }
        return place
    }

    mutating func read(_ request: MarkThreadRead, _ user: UserID?) throws(Refused) -> Outcome {
        let user = try person(user)
        var channel = try entered(request.channelID, user)
        let parent = try threadParent(request.parentMessageID, in: channel, user)
        var upTo = channel.replies(to: request.parentMessageID).last.map { $0 + 1 } ?? 0
        if let id = request.messageID { upTo = try reply(id, to: request.parentMessageID, in: channel, user) + 1 }
        if upTo > threadRead(of: user, parent, in: channel) {
            channel.joined[user]?.threadRead[request.parentMessageID] = upTo
            channels[channel.id] = channel
            tellRead(user, channel, thread: parent)
        }
        channels[channel.id] = channel
        return .thread(seenThread(parent, in: channel, by: user))
    }

    mutating func unread(_ request: MarkThreadUnread, _ user: UserID?) throws(Refused) -> Outcome {
        let user = try person(user)
        var channel = try entered(request.channelID, user)
        let parent = try threadParent(request.parentMessageID, in: channel, user)
        let place = try reply(request.messageID, to: request.parentMessageID, in: channel, user)
        try refuse(1023, when: channel.messages[place].deletedAt != nil)
        try refuse(1024, when: channel.messages[place].isAdmin)
        if place < threadRead(of: user, parent, in: channel) {
            channel.joined[user]?.threadRead[request.parentMessageID] = place
            channels[channel.id] = channel
            tellUnread(user, channel, thread: parent, from: request.messageID)
        }
        channels[channel.id] = channel
        return .thread(seenThread(parent, in: channel, by: user))
    }

    mutating func update(
        _ request: UpdateThread, _ user: UserID?, as replacement: String? = nil
    ) throws(Refused) -> Outcome {
        var request = request
        request.title = replacement ?? request.title
        var channel = try voiced(request.channelID, user)
        try need(.editThread, user, in: channel, usually: 1007)
        let parent = try threadParent(request.parentMessageID, in: channel, user)
        let id = request.parentMessageID
        if let user {
            let takesPart =
                channel.messages[parent].sender == user || repliers(to: id, in: channel).contains(user)
            try refuse(1007, when: !takesPart && isBelowOperators(user, in: channel))
        }
        try checkName(request.title, atMost: 200)
        let (title, data) = (channel.threadTitles[id], channel.threadData[id])
        channel.threadTitles[id] = changed(channel.threadTitles[id], request.title)
        channel.threadData[id] = changed(channel.threadData[id], request.data)
        channels[channel.id] = channel
        if title != channel.threadTitles[id] || data != channel.threadData[id] { tellThread(id, in: channel) }
        return .thread(seenThread(parent, in: channel, by: user))
    }

    func get(_ request: GetThread, _ user: UserID?) throws(Refused) -> Outcome {
        let channel = try entered(request.channelID, user)
        let parent = try threadParent(request.parentMessageID, in: channel, user)
        try checkEntryLimits(request.replyLimit, request.participantLimit)
        return .entry(entry(parent, in: channel, request.replyLimit, request.participantLimit, user))
    }

    /// Lists the threads in which the user participates, as author of the parent or of a reply.
    func list(_ request: ListThreads, _ user: UserID?) throws(Refused) -> Outcome {
        let user = try person(user)
        try refuse(1032, when: request.limit.map { !(1...100).contains($0) } ?? false)
        try checkEntryLimits(request.replyLimit, request.participantLimit)
        var all: [(at: Int64, channel: NaiveChannel, parent: Int)] = []
        for channel in channels.values where channel.joined[user] != nil {
            for place in channel.messages.indices.dropFirst(channel.hidden(from: user)) {
                let message = channel.messages[place]
                guard let last = channel.replies(to: message.id).last else { continue }
                guard message.sender == user || repliers(to: message.id, in: channel).contains(user) else { continue }
                all.append((channel.messages[last].at, channel, place))
            }
        }
        // Sort by latest activity, then by channel, then the newer parent first.
        all.sort { a, b in
            if a.at != b.at { return a.at > b.at }
            return a.channel.id != b.channel.id ? a.channel.id < b.channel.id : a.parent > b.parent
        }
        let page = try page(of: all, request.limit, usually: 20)
        return .threads(
            page.items.map { entry($0.parent, in: $0.channel, request.replyLimit, request.participantLimit, user) },
            isFirst: skipped == 0, isLast: page.isLast)
    }

    func checkEntryLimits(_ replies: Int?, _ people: Int?) throws(Refused) {
        for limit in [replies, people] { try refuse(1032, when: limit.map { !(0...100).contains($0) } ?? false) }
    }

    func entry(
        _ parent: Int, in channel: NaiveChannel, _ replyLimit: Int?, _ personLimit: Int?, _ user: UserID?
    ) -> SeenThreadEntry {
        let message = channel.messages[parent]
        let repliers = repliers(to: message.id, in: channel)
        let author = message.sender.map { [$0] } ?? []
        return SeenThreadEntry(
            thread: seenThread(parent, in: channel, by: user), channel: seen(channel, by: user),
            parent: seen(parent, in: channel, by: user, reactions: true),
            replies: channel.replies(to: message.id).suffix(replyLimit ?? 3).map {
                seen($0, in: channel, by: user, quote: false, reactions: true)
            }, participants: Array((author + repliers.filter { $0 != message.sender }).prefix(personLimit ?? 10)))
    }
}
