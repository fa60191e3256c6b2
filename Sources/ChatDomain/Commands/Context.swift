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

    package init(
        caller: Caller, now: Int64, freshID: MessageID, settings: ChatSettings,
        presence: PresenceTable = PresenceTable()
    ) {
        self.caller = caller
        self.now = now
        self.freshID = freshID
        self.settings = settings
        self.presence = presence
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
    /// Joined and invited people of an ordinary channel (`CH4`).
    package var membersPerChannel = 100
    /// Joined and invited people of a super channel (`CH4`).
    package var membersPerSuperChannel = 20_000
    /// Whether distinct channels differ by custom type too (`CH3`).
    package var distinctByCustomType = false
    /// Whether ordinary users may create channels (`CH6`).
    package var usersCreateChannels = true
    /// Whether one can react to messages (`R4`).
    package var reactions = true
    /// The same for super channels, where they are on at all.
    package var reactionsInSuperChannels = true
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

    package init() {}
}

/// The sizes of what clients send. Texts count in bytes of UTF-8, names in code points.
package enum FieldLimits {
    package static let textBytes = 16_384
    package static let dataBytes = 8_192
    package static let customTypeBytes = 128
    package static let clientIDBytes = 128
    package static let nameCodePoints = 200
    package static let nicknameCodePoints = 80
    package static let urlBytes = 2_048
    package static let emojis = 500
    package static let emojiKeyBytes = 64
    package static let emojiCodePoints = 16
    package static let metadataKeys = 50
    package static let metadataKeyBytes = 128
    package static let metadataValueBytes = 1_024
    /// People whom one message mentions by name.
    package static let mentions = 100
    package static let idsPerCommand = 1_000
    package static let usersPerUpsert = 100
    /// Values of one filter that is compared with every channel of a user.
    package static let filterValues = 100
    /// Operators of one channel, invited ones included; so many events take all of them away at once.
    package static let operatorsPerChannel = 1_000
    /// Bans in force in one channel, and mutes.
    package static let sanctionsPerChannel = 20_000
    /// Kept for the app to read; beyond it nobody reports any more.
    package static let reports = 100_000
    /// So that nobody uses them all up.
    package static let reportsPerUser = 1_000
    package static let descriptionBytes = 1_024
    package static let filesPerMessage = 20
    package static let metaArrayKeys = 20
    package static let metaArrayKeyBytes = 128
    package static let metaArrayValues = 100
    package static let metaArrayValueBytes = 1_024
    /// Keys and values of one message together.
    package static let metaArrayBytes = 16_384
    package static let targetLanguages = 10
    package static let languageTagBytes = 35
    package static let soundNameCodePoints = 128
    package static let thumbnailsPerMessage = 3
    package static let thumbnailPixels = 1...4_096
    package static let mimeTypeBytes = 127
    /// Uploads of one person that wait for their message, over all channels.
    package static let unsentFilesPerUser = 100
    /// How long an upload waits for its message: a day.
    package static let unsentFileMilliseconds: Int64 = 86_400_000
    /// Files that one upload sweeps away.
    package static let filesForgottenAtOnce = 100
    /// Up to 100 years.
    package static let sanctionSeconds: ClosedRange<Int64> = 1...3_153_600_000
    /// Up to 100 years.
    package static let tokenSeconds: ClosedRange<Int64> = 1...3_153_600_000
    /// How far ahead of the clock tokens may be revoked: for issuers whose clock is ahead.
    package static let revocationLeadSeconds: Int64 = 60
    /// Messages on one side of an anchor, or in a page.
    package static let pageSize = 100
    package static let defaultPageSize = 30
    package static let searchBytes = 256
    package static let webhooks = 20
    package static let webhookSecretBytes = 24...256
    package static let devicesPerUser = 20
    package static let deviceTokenBytes = 4_096
}
