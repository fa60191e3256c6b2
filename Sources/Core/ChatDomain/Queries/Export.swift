import ChatModel

/// What an export contains.
package enum ExportScope: Sendable {
    /// The whole app.
    case everything
    /// What the chat knows of a user and what the user wrote, without messages and reactions by others.
    case user(UserID)
    case channel(ChannelID)
}

extension ChatState {
    /// Emits an export line by line (`PR2`), in an order that is the same in every process: users before the channels
    /// they are in, and within a channel members before messages, oldest first, each followed by its reactions. The
    /// last line (`ExportLine.end`) is left to the caller, who counts.
    ///
    /// - Parameter scope: A user or channel that does not exist has no line at all.
    package func export<Failure: Error>(
        _ scope: ExportScope, _ body: (ExportLine) throws(Failure) -> Void
    ) throws(Failure) {
        switch scope {
        case .everything:
            try body(.export(of: scope, at: lastAt))
            for emoji in emojis.emojis { try body(.emoji(emoji)) }
            for id in users.keys.sorted() {
                if let user = users[id] { try body(.user(user)) }
            }
            try exportFilesAndReports(scope, body)
            for id in channels.keys.sorted() {
                if let channel = channels[id] { try export(channel, body) }
            }
        case .user(let id):
            guard let user = users[id] else { return }
            try body(.export(of: scope, at: lastAt))
            try body(.user(user))
            try exportFilesAndReports(scope, body)
            for channel in channels.keys.sorted() {
                if let channel = channels[channel] { try export(id, in: channel, body) }
            }
        case .channel(let id):
            guard let channel = channels[id] else { return }
            try body(.export(of: scope, at: lastAt))
            try exportFilesAndReports(scope, body)
            try export(channel, body)
        }
    }

    private func exportFilesAndReports<Failure: Error>(
        _ scope: ExportScope, _ body: (ExportLine) throws(Failure) -> Void
    ) throws(Failure) {
        for part in files.parts where scope.includes(part.file) { try body(.file(part)) }
        for place in reports.places {
            if let report = reports[place.id], scope.includes(report) { try body(.report(report)) }
        }
    }

    private func export<Failure: Error>(
        _ channel: ChannelState, _ body: (ExportLine) throws(Failure) -> Void
    ) throws(Failure) {
        try body(.channel(view(of: channel, for: nil)))
        for user in channel.members.all.keys.sorted() + channel.invitations.keys.sorted() {
            try body(.member(view(of: user, in: channel), of: channel.id))
        }
        for part in channel.bans.parts(at: lastAt) { try body(.sanction(.ban, part, in: channel.id)) }
        for part in channel.mutes.parts(at: lastAt) { try body(.sanction(.mute, part, in: channel.id)) }
        for place in channel.messages.indices {
            let message = channel.messages[place]
            try body(.message(view(of: message, in: channel, visibleFrom: 0, quotesParent: false)))
            for key in channel.reactions(on: message.id)?.keys ?? [] {
                for reactor in key.reactors {
                    try body(.reaction(key.key, to: message.id, in: channel.id, by: reactor.user))
                }
            }
        }
        for part in channel.threadParts { try body(.thread(part, in: channel.id)) }
        for user in channel.members.all.keys.sorted() {
            guard let member = channel.members[user], member.lastRead < channel.messages.last?.offset ?? 0 else {
                continue
            }
            let position = channel.position(member.lastRead, visibleFrom: 0)
            try body(.read(position.messageID, by: user, in: channel.id))
        }
    }

    /// Emits what one user has and did in a channel, including one they have left.
    private func export<Failure: Error>(
        _ user: UserID, in channel: ChannelState, _ body: (ExportLine) throws(Failure) -> Void
    ) throws(Failure) {
        if let membership = view(of: channel, for: user, showsLastMessage: false).my, membership.state != .none {
            try body(.membership(membership, in: channel.id))
        }
        if let ban = channel.bans.part(of: user, at: lastAt) { try body(.sanction(.ban, ban, in: channel.id)) }
        if let mute = channel.mutes.part(of: user, at: lastAt) { try body(.sanction(.mute, mute, in: channel.id)) }
        for place in channel.messages.indices {
            let message = channel.messages[place]
            if message.sender == user {
                try body(.message(view(of: message, in: channel, visibleFrom: 0, quotesParent: false)))
            }
            for key in channel.reactions(on: message.id)?.keys ?? [] where key.contains(user) {
                try body(.reaction(key.key, to: message.id, in: channel.id, by: user))
            }
        }
    }
}

extension ExportScope {
    fileprivate func includes(_ file: UploadedFile) -> Bool {
        switch self {
        case .everything: true
        case .user(let id): file.owner == id
        case .channel(let id): file.channel == id
        }
    }

    fileprivate func includes(_ report: Report) -> Bool {
        switch self {
        case .everything: true
        case .user(let id): report.by == id
        case .channel(let id): report.channelID == id
        }
    }
}
