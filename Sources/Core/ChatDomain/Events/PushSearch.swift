import ChatModel

/// A search for the push recipients of a message (`L2`). It examines a few hundred members at a time, because one pass
/// over a large channel takes longer than a command may.
///
/// Members are examined in the order of joining, using the state at that moment. Those who joined after the message are
/// skipped.
package struct PushSearch: Sendable {
    /// The number of members examined for one notice.
    package static let membersPerNotice = 500
    /// The minimum number of members selected in one pass over all members.
    private static let membersPerSelection = 2_000
    /// The approximate maximum number of passes; a larger channel selects more members per pass.
    private static let maxPasses = 10

    private final class Pushed: Sendable {
        let at: Int64
        let position: RoomOffset
        let channel: ChannelID
        let epoch: String
        let message: StoredMessage
        let mentionsAll: Bool
        let mentioned: Set<UserID>

        init(at: Int64, position: RoomOffset, channel: ChannelState, message: StoredMessage) {
            self.at = at
            self.position = position
            self.channel = channel.id
            epoch = channel.epoch
            self.message = message
            mentionsAll = message.mentions == .channel
            mentioned = if case .users(let users) = message.mentions { Set(users) } else { [] }
        }

        func mentions(_ user: UserID) -> Bool { mentionsAll || mentioned.contains(user) }
    }

    private let pushed: Pushed
    /// Whether one notice covers all members.
    package let isShort: Bool
    package private(set) var isOver = false
    private var selected: ArraySlice<UserID> = []
    private var isSelectionComplete = false
    /// The room offset from which members have not been selected yet.
    private var rest: UInt64 = 0
    private var examined = 0

    /// - Parameter message: The original message.
    init(_ record: Record, at position: RoomOffset, _ message: StoredMessage, in channel: ChannelState) {
        pushed = Pushed(at: record.at, position: position, channel: channel, message: message)
        isShort = channel.members.count <= Self.membersPerNotice
    }

    /// Examines the next members, or selects the members to examine next.
    ///
    /// - Parameter presence: The connected users, who are skipped.
    /// - Returns: `nil` if this step finds no recipients.
    package mutating func next(
        in state: ChatState, _ presence: PresenceTable = PresenceTable(), _ work: WorkMeter = WorkMeter()
    ) -> PushNotice? {
        guard let channel = state.channels[pushed.channel], channel.epoch == pushed.epoch,
            let message = channel.message(pushed.message.id), !message.isDeleted,
            // The sender may have been deleted.
            message.sender == pushed.message.sender
        else {
            isOver = true
            return nil
        }
        if selected.isEmpty {
            select(in: channel, work)
            isOver = selected.isEmpty
            guard isShort else { return nil }
        }
        let members = selected.prefix(Self.membersPerNotice)
        let place = examined
        selected = selected.dropFirst(members.count)
        examined += members.count
        isOver = isSelectionComplete && selected.isEmpty
        for member in members { work.charge(WorkCost.recipient + member.rawValue.utf8.count * WorkCost.recipientByte) }
        let recipients = members.compactMap { state.recipient($0, in: channel, pushed.message, pushed.mentions) }
            .filter { !presence.isConnected($0.user) }
        guard !recipients.isEmpty else { return nil }
        return PushNotice(
            at: pushed.at, position: pushed.position, channelName: channel.name,
            message: state.view(of: pushed.message, in: channel, visibleFrom: 0, quotesParent: false), place: place,
            recipients: recipients)
    }

    private mutating func select(in channel: ChannelState, _ work: WorkMeter) {
        work.charge(channel.members.count * WorkCost.skippedMember)
        let count = max(Self.membersPerSelection, channel.members.count / Self.maxPasses)
        let next = channel.members.earliest(count, in: rest..<max(rest, pushed.message.offset))
        selected = next.map(\.user)[...]
        isSelectionComplete = next.count < count
        if let last = next.last { rest = last.joinOffset + 1 }
    }
}

extension ChatState {
    /// Returns no effects unless a webhook subscribes to pushes.
    func pushes(_ record: Record, _ sent: Event.MessageSent) -> [Effect] {
        guard webhooks.contains(where: { $0.webhook.events.includes(PushNotice.type) }),
            let position = record.positions.first, let channel = channels[sent.channel],
            channel.contains(sent.id), sent.extras?.pushOption != .suppress
        else { return [] }
        return [.pushing(PushSearch(record, at: position, StoredMessage(sent, of: record), in: channel))]
    }

    fileprivate func recipient(
        _ id: UserID, in channel: ChannelState, _ message: StoredMessage, _ mentions: (UserID) -> Bool
    ) -> PushNotice.Recipient? {
        guard id != message.sender, message.sender.map({ !blockLists.has(id, blocked: $0) }) ?? true,
            let user = users[id], user.isActive, !user.devices.isEmpty,
            moderation.bans.entry(of: id, at: lastAt) == nil,
            let member = channel.members[id], member.joinOffset < message.offset,
            member.hidden != .hiddenPreventAutoUnhide, channel.isRelevant(message, to: id, mentions),
            user.isPushed(member.push, isMentioned: mentions(id))
        else { return nil }
        return PushNotice.Recipient(user: id, devices: user.devices)
    }
}

extension UserState {
    /// Applies the channel's preference or, by default, the user's preference for all channels.
    fileprivate func isPushed(_ channel: ChannelPush, isMentioned: @autoclosure () -> Bool) -> Bool {
        switch (channel, push) {
        case (.all, _), (.default, .all): true
        case (.off, _), (.default, .off): false
        case (.mentionOnly, _), (.default, .mentionOnly): isMentioned()
        }
    }
}

extension ChannelState {
    /// Returns whether a message concerns a member. A reply that appears only in its thread concerns users who
    /// participate in the thread or are mentioned (`PU2`).
    fileprivate func isRelevant(_ message: StoredMessage, to user: UserID, _ mentions: (UserID) -> Bool) -> Bool {
        guard let parent = message.parent, !message.appearsInChannel else { return true }
        return isParticipant(user, in: parent) || mentions(user)
    }
}
