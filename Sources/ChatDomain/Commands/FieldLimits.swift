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
    /// People whom one command names, over all its fields: each may be an event, and a command is never cut into pieces.
    package static let idsPerCommand = 250
    package static let usersPerUpsert = 100
    /// Channels of all users whom one command changes: each of them may hear of it.
    package static let channelsOfUpsertedUsers = 5_000
    package static let channelsPerUpsert = 100
    /// Channels of a guest.
    package static let channelsPerGuest = 20
    /// Values of one filter that is compared with every channel of a user.
    package static let filterValues = 100
    /// Operators of one channel, invited ones included; so many events take all of them away at once.
    package static let operatorsPerChannel = 250
    /// Invitations of one channel that wait for an answer; so many events take all of them back when it is deleted.
    package static let invitationsPerChannel = 500
    /// Channels that one command marks as read; the answer's totals tell whether there are more.
    package static let channelsReadAtOnce = 250
    /// People whom one message tells that a channel they had hidden is back.
    package static let unhiddenAtOnce = 200
    /// Bans in force in one channel, and mutes.
    package static let sanctionsPerChannel = 20_000
    /// Kept for the app to read; beyond it older ones make room.
    package static let reports = 100_000
    /// The share of one user; beyond it their own oldest makes room.
    package static let reportsPerUser = 1_000
    /// The share of one guest.
    package static let reportsPerGuest = 20
    /// The share of all guests together.
    package static let reportsOfAllGuests = 25_000
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
    /// Uploads of one person to ephemeral channels, where each lives for a day.
    package static let ephemeralFilesPerUser = 1_000
    /// How often it is looked which uploads have waited too long for their message.
    package static let fileLookMilliseconds = 600_000
    /// Files that one sweep takes away.
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
