import ChatModel

extension ChatState {
    /// Announces a read marker to the reader's devices (`U5`), and in a small channel also as a transient receipt
    /// (`U2`).
    func announceRead(_ record: Record, _ mark: Event.ReadMark, _ settings: ChatSettings) -> [Effect] {
        guard let event = readChanged(record, mark) else { return [] }
        let announced = Effect.announce(
            Announcement(event: event, redacted: nil, hidesBefore: 0, positions: record.positions))
        guard mark.thread == nil, let channel = channels[mark.channel], channel.isSmall(settings) else {
            return [announced]
        }
        let receipt = TypedEvent(
            type: .readChanged, at: record.at, by: record.by, read: receipt(of: mark.user, in: channel))
        return [announced, .transient([.channel(mark.channel)], receipt)]
    }

    /// Announces two events in the inbox: the new read state, and the message marked as unread.
    func announceUnread(_ record: Record, _ mark: Event.ReadMark, from message: MessageID, _ totals: UnreadTotals?)
        -> [Effect]
    {
        guard let changed = readChanged(record, mark), let read = changed.read else { return [] }
        let unread = TypedEvent(
            type: .unreadChanged, at: record.at, by: record.by,
            unread: UnreadChange(
                channelID: mark.channel, parentMessageID: mark.thread, markedFrom: message,
                unreadCount: read.unreadCount ?? 0, totals: totals ?? unreadTotals(of: mark.user)))
        return zip([changed, unread], record.positions).map { event, position in
            .announce(Announcement(event: event, redacted: nil, hidesBefore: 0, positions: [position]))
        }
    }

    private func readChanged(_ record: Record, _ mark: Event.ReadMark) -> TypedEvent? {
        guard let channel = channels[mark.channel] else { return nil }
        var read = readState(of: mark.user, in: channel)
        if let thread = mark.thread {
            guard let parent = channel.message(thread) else { return nil }
            read = readState(of: mark.user, in: channel, thread: parent)
        }
        return TypedEvent(type: .readChanged, at: record.at, by: record.by, read: read)
    }

    /// Announces the thread's title and data to users who see its parent (`T7`).
    func announceThread(
        _ record: Record, _ updated: Event.ThreadUpdated, _ settings: ChatSettings
    ) -> [Effect] {
        guard let channel = channels[updated.channel], let parent = channel.message(updated.parent) else { return [] }
        func event(isVisible: Bool) -> TypedEvent {
            TypedEvent(
                type: .threadUpdated, at: record.at, by: record.by,
                thread: thread(of: updated.parent, in: channel, isVisible: isVisible, settings))
        }
        return [
            .announce(
                Announcement(
                    event: event(isVisible: true), redacted: event(isVisible: false), hidesBefore: parent.offset,
                    positions: record.positions))
        ]
    }
}
