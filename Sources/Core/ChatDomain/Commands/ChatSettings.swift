import ChatModel

/// The app's settings for the chat.
package struct ChatSettings: Sendable, Equatable {
    /// Whether new members see messages from before they joined (`CH7`).
    package var historyVisibleToNewcomers = true
    /// The maximum number of channels that one user can be in (`US4`).
    package var channelsPerUser = 2_000
    /// The maximum number of open invitations per user (`US4`).
    package var invitationsPerUser = 1_000
    /// The maximum number of existing channels created by one user (`CH6`).
    package var channelsPerCreator = 1_000
    /// The number of channels that one user can create in a burst, and how many more per minute (`CH6`).
    package var creationsAtOnce = 100
    package var creationsPerMinute = 12
    /// The number of users that one user can add or invite in a burst, and how many more per minute (`CH7`).
    package var additionsAtOnce = 2_000
    package var additionsPerMinute = 60
    /// The maximum number of joined and invited members of an ordinary channel (`CH4`).
    package var membersPerChannel = 100
    /// The maximum number of joined and invited members of a super channel (`CH4`).
    package var membersPerSuperChannel = 20_000
    /// Whether distinct channels with the same members can differ by custom type (`CH3`).
    package var distinctByCustomType = false
    /// Whether users, and not only server keys, can create channels (`CH6`).
    package var usersCreateChannels = true
    /// The ids that users can choose for their channels (`CH6`).
    package var userChannelIDs = UserChannelIDs.free
    /// Whether users can react to messages (`R4`).
    package var reactions = true
    /// Whether users can react in super channels; requires `reactions`.
    package var reactionsInSuperChannels = true
    /// The number of users that a thread lists as those with the most replies (`T4`).
    package var mostRepliedUsers = 4
    /// The number of users that a message lists per reaction key (`R3`).
    package var reactionUsersShown = 10
    /// How clients show replies. Sent to clients when they connect, because they enforce it (`T2`).
    package var replyType = ReplyType.quoteReply
    package var threadReplySelect = ThreadReplySelect.thread
    /// Whether clients offer to mark messages as unread (`U4`).
    package var markAsUnread = false
    /// Whether users, and not only server keys, can search for users (`SE2`).
    package var userSearch = false

    /// The maximum number of members of a channel that gets typing, presence and profile events (`US6`).
    package var presenceMembers = 100
    /// How long users still count as online after their last connection ended, in milliseconds. Users who reconnect in
    /// time are never shown as offline (`US6`).
    package var presenceGraceMilliseconds = 2_000

    /// The maximum total size of one user's stored uploads, across all channels, in bytes.
    package var fileBytesPerUser = 1_073_741_824

    /// How long channels keep their messages (`PR4`).
    package var retentionSeconds = 0
    package var retentionCount = 0

    /// How long decided reports are kept; 0 for ever (`ME5`).
    package var settledReportDays = 90

    /// Whether users, and not only server keys, can export the users' own data (`PR2`).
    package var exportsOwnData = false

    package var guests = GuestSettings()

    package init() {}

    /// Returns how many members of a channel can be guests who joined or were added by other users: three quarters of
    /// the limit, rounded up. The rest is reserved for users with an account, and for the server.
    func guestLimit(ofMembers limit: Int) -> Int { limit - limit / 4 }
}
