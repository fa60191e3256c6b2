import ChatModel

extension Event {
    /// The payload of `userDeleted`.
    package struct UserDeleted: Equatable, Sendable {
        /// The user; `nil` if the chat, as restored from a backup, no longer knows them.
        package var id: UserID?
        package var erased: ErasedUser

        package init(id: UserID?, erased: ErasedUser) {
            self.id = id
            self.erased = erased
        }
    }

    /// The payload of `userReplaced`: which part of a channel.
    package struct UserReplaced: Equatable, Sendable {
        package var channel: ChannelID
        /// The deleted user.
        package var user: UserID
        /// The last message before the part; 0 for the first part, which includes everything but the messages.
        package var after: UInt64
        /// The last message of the part.
        package var upTo: UInt64

        package init(channel: ChannelID, user: UserID, after: UInt64, upTo: UInt64) {
            self.channel = channel
            self.user = user
            self.after = after
            self.upTo = upTo
        }
    }
}
