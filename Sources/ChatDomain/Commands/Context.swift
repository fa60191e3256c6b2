import ChatModel

/// Who asks.
package enum Caller: Hashable, Sendable {
    case user(UserID)
    /// A server key that speaks for no one in particular.
    case server

    package var user: UserID? {
        switch self {
        case .user(let user): user
        case .server: nil
        }
    }
}

/// What a decision needs and the state does not hold.
package struct Context: Sendable {
    package let caller: Caller
    /// Milliseconds since 1970; the engine sees to it that it never goes back.
    package let now: Int64
    /// The id of whatever this command makes; 128 bits that occur once.
    package let freshID: MessageID
    package let settings: ChatSettings
    /// Who is there, for answers to tell (`US6`); no decision asks it.
    package let presence: PresenceTable
    /// Counts what the command costs.
    package let work: WorkMeter

    package init(
        caller: Caller, now: Int64, freshID: MessageID, settings: ChatSettings,
        presence: PresenceTable = PresenceTable(), work: WorkMeter = WorkMeter()
    ) {
        self.caller = caller
        self.now = now
        self.freshID = freshID
        self.settings = settings
        self.presence = presence
        self.work = work
    }

    /// Names a life of a room: 62 random bits.
    var freshEpoch: String { String(freshID.low & 0x3FFF_FFFF_FFFF_FFFF, radix: 36) }
}

/// What the app decides about its chat.
package struct ChatSettings: Sendable, Equatable {
    /// Whether newcomers see messages from before they joined (`CH7`).
    package var historyVisibleToNewcomers = true
    /// `US4`
    package var channelsPerUser = 2_000
    /// Invitations of one user that wait for an answer (`US4`).
    package var invitationsPerUser = 1_000
    /// Living channels that one user created (`CH6`).
    package var channelsPerCreator = 1_000
    /// Channels that one user creates in a row, and how many of those come back each minute (`CH6`).
    package var creationsAtOnce = 100
    package var creationsPerMinute = 12
    /// People whom one user adds or invites in a row, and how many of those come back each minute (`CH7`).
    package var additionsAtOnce = 2_000
    package var additionsPerMinute = 60
    /// Joined and invited people of an ordinary channel (`CH4`).
    package var membersPerChannel = 100
    /// Joined and invited people of a super channel (`CH4`).
    package var membersPerSuperChannel = 20_000
    /// Whether distinct channels differ by custom type too (`CH3`).
    package var distinctByCustomType = false
    /// Whether ordinary users may create channels (`CH6`).
    package var usersCreateChannels = true
    /// Which ids they may choose (`CH6`).
    package var userChannelIDs = UserChannelIDs.free
    /// Whether one can react to messages (`R4`).
    package var reactions = true
    /// The same for super channels, where they are on at all.
    package var reactionsInSuperChannels = true
    /// How many of those with the most replies a thread names (`T4`).
    package var mostRepliedUsers = 4
    /// How many of those who reacted a message names per key (`R3`).
    package var reactionUsersShown = 10
    /// Told to clients at connect, and theirs to obey (`T2`).
    package var replyType = ReplyType.quoteReply
    package var threadReplySelect = ThreadReplySelect.thread
    /// Whether clients offer to mark messages as unread (`U4`).
    package var markAsUnread = false

    /// Members up to which a channel hears of typing, presence and changed profiles (`US6`).
    package var presenceMembers = 100
    /// For how long who lost the last connection is still taken to be there, in milliseconds: who comes back within it
    /// was never away (`US6`).
    package var presenceGraceMilliseconds = 2_000

    /// Bytes of one user's uploads that are kept, in all channels.
    package var fileBytesPerUser = 1_073_741_824

    package var guests = GuestSettings()

    package init() {}

    /// How many members of a channel may be guests who came by themselves or whom other users brought: three quarters,
    /// rounded up. The rest is for people with an account, and for the server.
    func guestLimit(ofMembers limit: Int) -> Int { limit - limit / 4 }
}
