import ChatModel

/// The app's settings for its chat.
package struct ChatSettings: Sendable, Equatable {
    /// Whether new members see messages from before they joined (`CH7`).
    package var historyVisibleToNewcomers = true
    /// The largest number of channels that one user can be in (`US4`).
    package var channelsPerUser = 2_000
    /// The largest number of open invitations of one user (`US4`).
    package var invitationsPerUser = 1_000
    /// The largest number of existing channels that one user created (`CH6`).
    package var channelsPerCreator = 1_000
    /// How many channels one user can create in a burst, and how many more each minute (`CH6`).
    package var creationsAtOnce = 100
    package var creationsPerMinute = 12
    /// How many people one user can add or invite in a burst, and how many more each minute (`CH7`).
    package var additionsAtOnce = 2_000
    package var additionsPerMinute = 60
    /// The largest number of joined and invited people in an ordinary channel (`CH4`).
    package var membersPerChannel = 100
    /// The largest number of joined and invited people in a super channel (`CH4`).
    package var membersPerSuperChannel = 20_000
    /// Whether the custom type also distinguishes distinct channels (`CH3`).
    package var distinctByCustomType = false
    /// Whether ordinary users may create channels (`CH6`).
    package var usersCreateChannels = true
    /// Which ids they may choose for them (`CH6`).
    package var userChannelIDs = UserChannelIDs.free
    /// Whether users can react to messages (`R4`).
    package var reactions = true
    /// Whether they can in super channels too, if reactions are enabled at all.
    package var reactionsInSuperChannels = true
    /// How many of the users with the most replies a thread lists (`T4`).
    package var mostRepliedUsers = 4
    /// How many of the users who reacted a message lists per key (`R3`).
    package var reactionUsersShown = 10
    /// Sent to clients at connect, which enforce it (`T2`).
    package var replyType = ReplyType.quoteReply
    package var threadReplySelect = ThreadReplySelect.thread
    /// Whether clients offer to mark messages as unread (`U4`).
    package var markAsUnread = false

    /// The largest number of members at which a channel receives typing, presence and profile changes (`US6`).
    package var presenceMembers = 100
    /// How long users still count as online after their last connection closed, in milliseconds. Users who reconnect
    /// within that time were never shown as offline (`US6`).
    package var presenceGraceMilliseconds = 2_000

    /// The largest total size in bytes of one user's stored uploads, over all channels.
    package var fileBytesPerUser = 1_073_741_824

    package var guests = GuestSettings()

    package init() {}

    /// How many members of a channel may be guests who joined themselves or were added by other users: three quarters,
    /// rounded up. The rest is reserved for people with an account, and for the server.
    func guestLimit(ofMembers limit: Int) -> Int { limit - limit / 4 }
}
