import ChatModel

extension UserState {
    /// The complete user, as others see them.
    var view: User {
        if erasure != nil { return signature }
        var view = User(
            id: id, nickname: nickname, profileURL: profileURL, metadata: metadata.isEmpty ? nil : metadata,
            isActive: isActive)
        if isAppAdmin { view.isAppAdmin = true }
        return view
    }

    /// The short form of the user shown with a message: without metadata.
    var signature: User {
        var view = User(id: id, nickname: nickname, profileURL: profileURL)
        if erasure != nil { view.isDeleted = true }
        return view
    }
}

extension ChatState {
    /// Returns the short form of a user shown with a message; a removed user keeps the id.
    func signature(of id: UserID) -> User {
        users[id]?.signature ?? User(id: id, nickname: id.isDeleted ? "" : id.guestName ?? id.rawValue)
    }

    /// - Parameters:
    ///   - viewer: The user whose `my` and last message are included; `nil` for the form common to everyone.
    ///   - now: The time at which mutes are evaluated; `nil` for the time of the last record.
    func view(
        of channel: ChannelState, for viewer: UserID?, at now: Int64? = nil, showsLastMessage: Bool = true
    ) -> Channel {
        var view = Channel(
            id: channel.id, name: channel.name, isPublic: channel.isPublic,
            isDistinct: channel.distinctKey != nil, isSuper: channel.isSuper, customType: channel.customType,
            data: channel.data, coverURL: channel.coverURL,
            metadata: channel.metadata.isEmpty ? nil : channel.metadata, createdAt: channel.createdAt,
            createdBy: channel.createdBy, memberCount: channel.memberCount,
            joinedMemberCount: channel.members.count, isFrozen: channel.isFrozen,
            isEphemeral: channel.isEphemeral)
        view.messageSeconds = channel.messageSeconds
        view.slowModeSeconds = channel.slowMode?.seconds
        view.firstOffset = channel.firstOffset
        guard let viewer else { return view }
        if let member = channel.members[viewer] {
            view.my = MyMembership(
                state: .joined, role: member.role, joinedAt: member.joinedAt,
                unreadCount: channel.unreadCount(of: viewer, member),
                unreadMentionCount: channel.unreadMentionCount(of: viewer, member),
                lastRead: channel.position(member.lastRead, visibleFrom: member.visibleFrom),
                firstUnreadMessageID: channel.firstUnread(of: viewer, member),
                mutedUntil: muteEnd(of: viewer, in: channel, at: now ?? lastAt),
                hiddenState: channel.hiddenState(of: viewer),
                push: member.push == .default ? nil : member.push)
            view.my?.permissions = permissions(of: viewer, in: channel).permissions
            if showsLastMessage {
                view.lastMessage = lastMessage(of: channel, for: viewer, visibleFrom: member.visibleFrom)
            }
        } else if let invitation = channel.invitations[viewer] {
            view.my = MyMembership(
                state: .invited, role: invitation.role,
                mutedUntil: muteEnd(of: viewer, in: channel, at: now ?? lastAt))
        } else {
            view.my = MyMembership(state: .none)
        }
        return view
    }

    /// Returns the newest visible message that appears in the channel itself.
    private func lastMessage(of channel: ChannelState, for viewer: UserID, visibleFrom: UInt64) -> Message? {
        channel.newestInChannel(visibleFrom: visibleFrom).map {
            view(of: channel.messages[$0], in: channel, visibleFrom: visibleFrom, for: viewer)
        }
    }

    /// - Parameter now: The time at which sanctions are evaluated; `nil` for the time of the last record.
    func view(of member: UserID, in channel: ChannelState, at now: Int64? = nil) -> Member {
        let user = signature(of: member)
        let mutedUntil = channel.mutes.entry(of: member, at: now ?? lastAt)?.until
        if let state = channel.members[member] {
            return Member(
                user: user, role: state.role, state: .joined, joinedAt: state.joinedAt, invitedBy: state.invitedBy,
                mutedUntil: mutedUntil, lastRead: channel.position(state.receipt, visibleFrom: 0))
        }
        if let invitation = channel.invitations[member] {
            return Member(
                user: user, role: invitation.role, state: .invited, invitedBy: invitation.inviter,
                mutedUntil: mutedUntil)
        }
        return Member(
            user: user, role: .member, state: .none, mutedUntil: mutedUntil,
            bannedUntil: channel.bans.entry(of: member, at: now ?? lastAt)?.until)
    }

    /// - Parameters:
    ///   - visibleFrom: The reader's first visible offset; a quoted parent before it is *unavailable*.
    ///   - quote: What to quote of the parent; `nil` to quote its current content.
    ///   - settings: The settings for the message's thread; `nil` to omit the thread.
    ///   - reader: The reader for whom reactions are included; `nil` to omit them.
    ///   - viewer: The reader without reactions; `nil` for the form common to everyone.
    func view(
        of message: StoredMessage, in channel: ChannelState, visibleFrom: UInt64, quotesParent: Bool = true,
        quoting quote: Event.Quote? = nil, threadBy settings: ChatSettings? = nil, reactionsFor reader: Context? = nil,
        for viewer: UserID? = nil
    ) -> Message {
        guard !message.isDeleted else { return tombstone(of: message, in: channel) }
        var view = Message(
            id: message.id, channelID: channel.id, kind: message.kind, text: message.text,
            user: message.sender.map(signature), createdAt: message.createdAt, updatedAt: message.updatedAt,
            clientID: message.clientID, parentMessageID: message.parent,
            replyToChannel: message.parent == nil ? nil : message.replyToChannel,
            offset: message.offset, customType: message.customType, data: message.data,
            mentionType: message.mentions?.type, mentionedUserIDs: message.mentions?.userIDs)
        view.expiresAt = message.expiresAt
        if let extras = message.extras { view.apply(extras) }
        if let viewer = viewer ?? reader?.caller.user, let sender = message.sender,
            blockLists.has(viewer, blocked: sender)
        {
            view.fromBlocked = true
        }
        if let parent = message.parent, quotesParent {
            view.parent = self.quote(parent, in: channel, visibleFrom: visibleFrom, quote)
        }
        if let settings, !(channel.threads[message.id]?.replies.isEmpty ?? true) {
            view.thread = thread(of: message.id, in: channel, isVisible: true, settings)
        }
        if let reader { view.reactions = channel.reactions(on: message.id)?.view(for: reader) }
        return view
    }

    /// Returns the tombstone of a deleted message (`MS8`).
    private func tombstone(of message: StoredMessage, in channel: ChannelState) -> Message {
        var view = Message(
            id: message.id, channelID: channel.id, kind: message.kind, text: nil, user: message.sender.map(signature),
            createdAt: message.createdAt, deletedAt: message.deletedAt, parentMessageID: message.parent,
            replyToChannel: message.parent == nil ? nil : message.replyToChannel, offset: message.offset)
        view.expiresAt = message.expiresAt
        return view
    }

    /// Returns the parent in the form quoted by a reply (`T3`).
    ///
    /// - Parameter carried: What the reply's record quotes; `nil` to quote the parent's current content.
    private func quote(
        _ id: MessageID, in channel: ChannelState, visibleFrom: UInt64, _ carried: Event.Quote?
    ) -> MessageParent {
        guard let parent = channel.message(id) else { return MessageParent(id: id, state: .notFound) }
        guard parent.offset >= visibleFrom else { return MessageParent(id: id, state: .unavailable) }
        guard !parent.isDeleted else { return MessageParent(id: id, state: .notFound) }
        let quote = carried ?? Event.Quote(parent)
        var view = MessageParent(
            id: id, state: .ok, kind: quote.kind, text: quote.text, user: quote.sender.map(signature),
            createdAt: quote.createdAt)
        view.file = quote.file?.showing(quote.thumbnailSizes)
        return view
    }

    /// Returns the summary of a thread (`T4`); only the ids if the parent is not visible (`CH7`).
    func thread(
        of parent: MessageID, in channel: ChannelState, isVisible: Bool, _ settings: ChatSettings
    ) -> MessageThread {
        guard isVisible else { return MessageThread(channelID: channel.id, parentMessageID: parent) }
        let thread = channel.threads[parent] ?? ThreadState()
        return MessageThread(
            channelID: channel.id, parentMessageID: parent, replyCount: thread.replies.count,
            mostRepliedUsers: thread.mostReplied.prefix(settings.mostRepliedUsers).map(signature),
            lastReplyAt: thread.replies.isEmpty ? nil : thread.lastReplyAt, title: thread.title, data: thread.data)
    }
}

extension MessageReactions {
    /// - Returns: The reactions; `nil` if there are none.
    func view(for reader: Context) -> [Reaction]? {
        guard !keys.isEmpty else { return nil }
        // Hundreds of keys, each with user ids of the maximum length, would make a message larger than a response may
        // be.
        var bytesLeft = Self.shownBytes
        return keys.map { key in
            let users = key.reactors.prefix(reader.settings.reactionUsersShown).map(\.user).prefix {
                bytesLeft -= $0.wireSize
                return bytesLeft >= 0
            }
            return Reaction(
                key: key.key, count: key.reactors.count, userIDs: Array(users),
                mine: reader.caller.user.map(key.contains) ?? false, updatedAt: key.updatedAt)
        }
    }

    /// The maximum size in bytes of JSON of the users listed with one message's reactions; others are only counted.
    private static let shownBytes = 65_536
}
