import ChatModel

extension ChatState {
    /// Returns the rooms that a user's connections join automatically: the inbox, then the channels in order of id.
    package func standings(of id: UserID) -> [RoomStanding] {
        guard let user = users[id] else { return [] }
        return [inboxStanding(of: user)] + user.channelsInOrder.compactMap { standing(of: id, in: $0) }
    }

    /// Returns all fields of a user except presence.
    package func person(_ id: UserID) -> User? { users[id]?.view }

    package func inboxStanding(of id: UserID) -> RoomStanding? { users[id].map(inboxStanding) }

    private func inboxStanding(of user: UserState) -> RoomStanding {
        RoomStanding(room: .inbox(user.id), offset: user.inboxTop, epoch: user.inboxEpoch, since: 0, visibleFrom: 0)
    }

    /// Returns the offset of a room's last event, and the room's epoch; `nil` for an unknown room.
    package func position(of room: Room) -> (offset: UInt64, epoch: String)? {
        switch room {
        case .inbox(let user): users[user].map { ($0.inboxTop, $0.inboxEpoch) }
        case .channel(let channel): channels[channel].map { ($0.top, $0.epoch) }
        }
    }

    private func standing(of user: UserID, in id: ChannelID) -> RoomStanding? {
        guard let channel = channels[id], let member = channel.members[user] else { return nil }
        return RoomStanding(member, of: channel)
    }

    /// Returns the access of a user to a room that they request by name.
    ///
    /// - Throws: `permissionDenied` (103) for another user's inbox; `notFound` (1000), `notAMember` (1001) or
    ///   `invitedNotMember` (1002) for a channel that the user may not listen to.
    package func standing(of id: UserID, in room: Room) throws(Rejection) -> RoomStanding {
        switch room {
        case .inbox(let owner):
            guard owner == id, let user = users[id] else { throw Rejection(.permissionDenied) }
            return inboxStanding(of: user)
        case .channel(let channel):
            _ = try joinedChannel(channel, by: .user(id))
            guard let standing = standing(of: id, in: channel) else { throw Rejection(.notAMember) }
            return standing
        }
    }
}

extension RoomStanding {
    init(_ member: ChannelState.MemberState, of channel: ChannelState) {
        self.init(
            room: .channel(channel.id), offset: channel.top, epoch: channel.epoch, since: member.since,
            visibleFrom: member.visibleFrom)
    }
}
