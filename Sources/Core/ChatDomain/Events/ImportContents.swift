import ChatModel

/// The payloads of the events of imports (`PR3`).
extension Event {
    package struct ImportStarted: Equatable, Sendable {
        package var id: String
        /// The name of the chat that the lines come from.
        package var source: String

        package init(id: String, source: String) {
            self.id = id
            self.source = source
        }
    }

    package struct ImportAdded: Equatable, Sendable {
        package var id: String
        /// The number of the last line accepted, counted from 1.
        package var lastLine: Int
        /// What the lines add to the hidden channels, in order, with original times and authors. The records have no
        /// positions: each takes the next offset of its channel.
        package var records: [Record]

        package init(id: String, lastLine: Int, records: [Record]) {
            self.id = id
            self.lastLine = lastLine
            self.records = records
        }
    }

    package struct ImportSettled: Equatable, Sendable {
        package struct Opened: Equatable, Sendable {
            package var channel: ChannelID
            /// The key that identifies the channel by its members; `nil` if it is not distinct.
            package var distinctKey: DistinctKey?

            package init(channel: ChannelID, distinctKey: DistinctKey?) {
                self.channel = channel
                self.distinctKey = distinctKey
            }
        }

        package var id: String
        package var opened: [Opened]
        package var discarded: [ChannelID]
        /// Whether the import is being discarded rather than finished.
        package var discards: Bool
        /// Whether no channel is left.
        package var isLast: Bool

        package init(id: String, opened: [Opened], discarded: [ChannelID], discards: Bool, isLast: Bool) {
            self.id = id
            self.opened = opened
            self.discarded = discarded
            self.discards = discards
            self.isLast = isLast
        }
    }
}

extension ChatState {
    /// Subscribes the open connections of a channel's members from its end on. Imports announce nothing.
    func gains(of id: ChannelID) -> [Effect] {
        guard let channel = channels[id] else { return [] }
        return channel.members.all.keys.sorted().compactMap { user in
            channel.members[user].map { member in
                .gained(
                    user,
                    RoomStanding(
                        room: .channel(id), offset: channel.top, epoch: channel.epoch, since: member.since,
                        visibleFrom: member.visibleFrom))
            }
        }
    }
}
