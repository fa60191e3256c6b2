import ChatModel

// The receivers of a command's events: members in the channel's room, each with the content visible to them, and a
// reader in the inbox.

extension NaiveChat {
    /// - Parameter event: The event as received by one member.
    private mutating func tell(_ channel: NaiveChannel, _ event: (NaiveChat, UserID) -> SeenEvent) {
        let chat = self
        for user in channel.joined.keys {
            told[user, default: Heard()].inChannels[channel.id, default: []].append(event(chat, user))
        }
    }

    /// Returns the thread as received by a member who may not see its parent.
    private func thread(_ id: MessageID, in channel: NaiveChannel, heardBy user: UserID) -> SeenThread {
        let isVisible = (channel.index(of: id) ?? 0) >= channel.hidden(from: user)
        return isVisible ? thread(of: id, in: channel) : SeenThread(parent: id)
    }

    /// Returns a message as it stands in events, which are the same for those who have blocked the sender.
    private func heard(_ place: Int, in channel: NaiveChannel, by user: UserID, quote: Bool = true) -> SeenMessage {
        var seen = seen(place, in: channel, by: user, quote: quote)
        seen.fromBlocked = false
        return seen
    }

    mutating func tellMessage(_ place: Int, in channel: NaiveChannel) {
        let parent = channel.messages[place].parent
        tell(channel) { chat, user in
            .said(
                chat.heard(place, in: channel, by: user), in: channel.id,
                thread: parent.map { chat.thread($0, in: channel, heardBy: user) })
        }
    }

    mutating func tellUpdate(_ place: Int, in channel: NaiveChannel) {
        tell(channel) { chat, user in
            place < channel.hidden(from: user)
                ? .updatedOutOfSight(channel.messages[place].id)
                : .updated(chat.heard(place, in: channel, by: user, quote: false))
        }
    }

    mutating func tellDeletion(_ place: Int, in channel: NaiveChannel) {
        let message = channel.messages[place]
        tell(channel) { chat, user in
            let parent = message.parent.flatMap { channel.index(of: $0) == nil ? nil : $0 }
            return .deleted(message.id, thread: parent.map { chat.thread($0, in: channel, heardBy: user) })
        }
    }

    mutating func tellThread(_ id: MessageID, in channel: NaiveChannel) {
        tell(channel) { chat, user in .thread(chat.thread(id, in: channel, heardBy: user)) }
    }

    mutating func tellReaction(_ reaction: Outcome, on place: Int, in channel: NaiveChannel) {
        let bare = Outcome.reaction(
            channel.messages[place].id, key: nil, isAdded: nil, by: nil, count: nil, updatedAt: nil)
        tell(channel) { _, user in .reacted(place < channel.hidden(from: user) ? bare : reaction) }
    }

    mutating func tellChannel(_ type: EventType, _ channel: NaiveChannel) {
        tell(channel) { _, _ in .channel(type, channel.id) }
    }

    /// Reports a change that concerns only the user who made it.
    mutating func tellOneself(_ type: EventType, _ user: UserID, _ channel: NaiveChannel) {
        told[user, default: Heard()].inInbox.append(.channel(type, channel.id))
    }

    /// Ends the identity of a distinct channel, which is no longer found by its members.
    mutating func endClaim(_ channel: inout NaiveChannel) {
        guard channel.claim != nil else { return }
        channel.claim = nil
        tellChannel(.channelUpdated, channel)
    }

    /// Notifies the channel, and the user concerned in the inbox; a member receives both.
    mutating func tellPerson(_ type: EventType, _ user: UserID, _ channel: NaiveChannel) {
        tell(channel) { _, _ in .person(type, in: channel.id, user) }
        told[user, default: Heard()].inInbox.append(.person(type, in: channel.id, user))
    }

    /// Notifies the channel, but not the user concerned.
    mutating func tellMembers(_ type: EventType, _ user: UserID, _ channel: NaiveChannel) {
        tell(channel) { _, _ in .person(type, in: channel.id, user) }
    }

    /// Reports something outside channels to the user concerned.
    mutating func tellOneself(_ type: EventType, _ user: UserID) {
        told[user, default: Heard()].inInbox.append(.person(type, in: nil, user))
    }

    mutating func tellInvitation(_ type: EventType, of user: UserID, by inviter: UserID?, _ channel: NaiveChannel) {
        let event = SeenEvent.invitation(type, in: channel.id, by: inviter, of: user)
        tell(channel) { _, _ in event }
        told[user, default: Heard()].inInbox.append(event)
    }

    mutating func tellRead(_ user: UserID, _ channel: NaiveChannel) {
        told[user, default: Heard()].inInbox.append(.read(readState(user, channel), in: channel.id, thread: nil))
    }

    mutating func tellUnread(_ user: UserID, _ channel: NaiveChannel, from id: MessageID) {
        tellRead(user, channel)
        told[user, default: Heard()].inInbox.append(
            .unread(
                in: channel.id, thread: nil, from: id, count: unread(of: user, in: channel).count,
                totals: totals(of: user)))
    }

    mutating func tellRead(_ user: UserID, _ channel: NaiveChannel, thread parent: Int) {
        let thread = seenThread(parent, in: channel, by: user)
        let first = unreadReplies(of: user, parent, in: channel).first
        let read = Outcome.read(
            unreadCount: thread.unreadCount, mentions: nil, firstUnread: first.map { channel.messages[$0].id },
            lastRead: thread.lastRead)
        told[user, default: Heard()].inInbox.append(.read(read, in: channel.id, thread: thread.parent))
    }

    mutating func tellUnread(_ user: UserID, _ channel: NaiveChannel, thread parent: Int, from id: MessageID) {
        tellRead(user, channel, thread: parent)
        told[user, default: Heard()].inInbox.append(
            .unread(
                in: channel.id, thread: channel.messages[parent].id, from: id,
                count: unreadReplies(of: user, parent, in: channel).count, totals: totals(of: user)))
    }
}
