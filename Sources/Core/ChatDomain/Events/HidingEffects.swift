import ChatModel

extension ChatState {
    /// From here on the user's connections see the room with the same visible history as the state.
    func narrow(_ user: UserID, in id: ChannelID) -> Effect {
        .narrowed(user, .channel(id), visibleFrom: channels[id]?.members[user]?.visibleFrom ?? .max)
    }

    /// The channel as seen by the user who receives it, without its last message, because one message may unhide the
    /// channel for thousands of users at once.
    func announceToSelf(_ record: Record, _ type: EventType, _ id: ChannelID, _ user: UserID) -> Effect {
        var channel = channels[id].map { view(of: $0, for: user, at: record.at) }
        channel?.lastMessage = nil
        return .announce(
            Announcement(
                event: TypedEvent(type: type, at: record.at, by: record.by, channel: channel), redacted: nil,
                hidesBefore: 0, positions: record.positions))
    }
}
