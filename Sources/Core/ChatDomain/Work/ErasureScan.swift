import ChatModel
import HeapModule

/// Finds what names a deleted user, channel by channel, over as many turns as it takes (`PR1`).
///
/// Nothing of a scan is stored: after a restart, and on a node that begins to decide, another one starts over and finds
/// only what is left. Nothing new can name the user meanwhile, so the end of a scan is the end of the erasure.
package struct ErasureScan {
    /// The approximate maximum number of events in one turn.
    package static let eventsPerTurn = 250
    /// The maximum number of messages looked at in one turn, and the number that one event replaces.
    package static let messagesPerTurn = 10_000
    static let messagesPerEvent = 2_000
    /// What a channel costs beyond its messages, in messages.
    private static let channelCost = 20

    package let user: UserID
    private var channels: ChannelOrder
    /// The channel that the last turn did not complete, and the last message it looked at.
    private var unfinished: (channel: ChannelID, after: UInt64)?
    private var hasBegun = false

    package init(of user: UserID, in state: ChatState) {
        self.user = user
        channels = ChannelOrder(state)
    }

    /// Returns the events of one turn, to be applied before the next one.
    ///
    /// - Returns: The events, and whether they complete the erasure.
    package mutating func turn(in state: ChatState) -> (events: [Event], isOver: Bool) {
        guard let alias = state.users[user]?.erasure?.alias else { return ([], true) }
        var events: [Event] = []
        if !hasBegun {
            let files = state.files.unsent(of: user)
            if !files.isEmpty { events.append(.filesForgotten(files)) }
            hasBegun = true
        }
        guard channels.sort() else { return (events, false) }
        var work = Self.messagesPerTurn
        while work > 0, events.count < Self.eventsPerTurn {
            guard let (id, after) = nextPart() else { return (events + [.userForgotten(user, alias: alias)], true) }
            work -= Self.channelCost
            look(at: id, after: after, in: state, &events, &work)
        }
        return (events, false)
    }

    private mutating func nextPart() -> (ChannelID, after: UInt64)? {
        if let unfinished {
            self.unfinished = nil
            return unfinished
        }
        return channels.popFirst().map { ($0, 0) }
    }

    private mutating func look(
        at id: ChannelID, after start: UInt64, in state: ChatState, _ events: inout [Event], _ work: inout Int
    ) {
        let isOpen = state.channels[id] != nil
        // It may have been deleted since.
        guard let channel = state.channels[id] ?? state.imports.channel(id)?.state,
            let erasure = state.users[user]?.erasure
        else { return }
        var isNamed = start == 0 && channel.names(user)
        if start == 0 {
            work -= channel.members.count / Self.channelCost
            if isOpen { events += departure(from: channel) }
        }
        let messages = channel.messages
        let number = messages.number(of: user)
        var place = messages.firstPlace(after: start)
        let end = min(messages.endIndex, place + Self.messagesPerEvent)
        while place < end, events.count < Self.eventsPerTurn {
            if channel.names(user, number: number, at: place, in: messages) {
                isNamed = true
                if isOpen {
                    events += endings(of: place, in: channel, messages, number, deletes: erasure.deletesMessages)
                }
            }
            work -= 1
            place += 1
        }
        let last = place > messages.keptIndices.lowerBound ? messages.offset(at: place - 1) : 0
        if isNamed {
            events.append(
                .userReplaced(Event.UserReplaced(channel: id, user: user, after: start, upTo: max(start, last))))
        }
        if place < messages.endIndex { unfinished = (id, max(start, last)) }
    }

    /// Returns the events by which the user leaves a channel, as others learn of it.
    private func departure(from channel: ChannelState) -> [Event] {
        var events: [Event] = []
        if channel.members.all[user] != nil {
            events.append(.memberLeft(channel.id, user))
        } else if let invitation = channel.invitations[user] {
            events.append(.invitationCancelled(channel.id, user, by: invitation.inviter, invitedAt: invitation.at))
        }
        if channel.distinctKey?.members.contains(user) ?? false { events.append(.distinctEnded(channel.id)) }
        return events
    }

    /// Returns the events that remove a message, or the user's reactions to it.
    private func endings(
        of place: Int, in channel: ChannelState, _ messages: MessageList, _ number: UInt32?, deletes: Bool
    ) -> [Event] {
        guard messages.indices.contains(place) else { return [] }
        let message = messages[place]
        guard !message.isDeleted else { return [] }
        if deletes, messages.isSent(by: number, at: place) {
            return [.messageDeleted(channel.id, message.id, files: message.uploads)]
        }
        return (channel.reactions(on: message.id)?.keys ?? []).filter { $0.contains(user) }.map {
            .reactionRemoved(channel.id, message.id, key: $0.key, by: user)
        }
    }
}

/// All channels in the order of their ids, sorted over several turns: the order of events must not depend on a process's
/// hash seed.
private struct ChannelOrder {
    private typealias Channels = ShardedDictionary<ChannelID, ChannelState>

    private struct Head: Comparable {
        let channel: ChannelID
        let run: Int

        static func < (a: Self, b: Self) -> Bool { a.channel < b.channel }
    }

    /// The number of ids sorted in one turn.
    private static let sortedPerTurn = 2_000

    /// The channels at the beginning; later ones do not name the user.
    private let open: Channels
    private var next: Channels.Index
    /// Channels that imports hide.
    private var hidden: [ChannelID]
    /// Each descending.
    private var runs: [[ChannelID]] = []
    /// The first channel of each run that has any left.
    private var heads: Heap<Head> = []

    init(_ state: ChatState) {
        open = state.channels
        next = open.startIndex
        hidden = state.imports.runs.flatMap(\.channels.keys)
    }

    /// - Returns: Whether all channels are sorted.
    mutating func sort() -> Bool {
        guard next != open.endIndex || !hidden.isEmpty else { return true }
        var run: [ChannelID] = []
        while next != open.endIndex, run.count < Self.sortedPerTurn {
            run.append(open[next].key)
            open.formIndex(after: &next)
        }
        while run.count < Self.sortedPerTurn, let id = hidden.popLast() { run.append(id) }
        run.sort(by: >)
        runs.append(run)
        pushHead(of: runs.count - 1)
        return next == open.endIndex && hidden.isEmpty
    }

    mutating func popFirst() -> ChannelID? {
        guard let head = heads.popMin() else { return nil }
        pushHead(of: head.run)
        return head.channel
    }

    private mutating func pushHead(of run: Int) {
        if let channel = runs[run].popLast() { heads.insert(Head(channel: channel, run: run)) }
    }
}
