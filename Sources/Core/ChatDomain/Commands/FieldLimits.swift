/// The limits for client input. Texts are measured in UTF-8 bytes, names in code points.
package enum FieldLimits {
    package static let textBytes = 16_384
    package static let dataBytes = 8_192
    /// The seconds after which a message can be removed: up to a year.
    package static let expirySeconds = 1...31_536_000
    /// The seconds between two messages of one member: up to a day; 0 for no slow mode.
    package static let slowModeSeconds = 0...86_400
    /// The limits that a channel's retention can have; 0 for none.
    package static let retentionSeconds = 0...3_153_600_000
    package static let retentionCount = 0...1_000_000_000
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
    package static let mentions = 100
    /// Users named in one command, across all its fields. Each may cause an event, and a command is never split.
    package static let idsPerCommand = 250
    package static let usersPerUpsert = 100
    /// Channels of all upserted users together. Limited because each of them may receive the change.
    package static let channelsOfUpsertedUsers = 5_000
    /// Channels per command. Limited because one journal frame contains the events of all of them, including their
    /// members.
    package static let channelsPerUpsert = 80
    package static let channelsPerGuest = 20
    /// Values per filter. Limited because each is compared with every channel of a user.
    package static let filterValues = 100
    /// Operators per channel, including invited ones. Limited because removing all of them causes as many events.
    package static let operatorsPerChannel = 250
    /// Open invitations per channel. Limited because deleting the channel causes as many events.
    package static let invitationsPerChannel = 400
    /// Channels that one command marks as read; the totals in the response show whether there are more.
    package static let channelsReadAtOnce = 250
    /// Members whom one message notifies that a channel they hid is visible again.
    package static let unhiddenAtOnce = 200
    /// Active bans in one channel; also the limit for its mutes.
    package static let sanctionsPerChannel = 20_000
    /// Users whom one user blocks.
    package static let blockedUsers = 10_000
    /// Users banned from the app; also the limit for those muted in it.
    package static let sanctionsOfApp = 100_000
    /// Entries of a channel's moderation log, and of the app's; a quarter more may be kept.
    package static let moderationLogOfChannel = 500
    package static let moderationLogOfApp = 10_000
    /// Custom types with a table of roles.
    package static let roleTypes = 100
    /// Text rules in one `text_rule.set`, and in one `text_rule.test`.
    package static let textRulesAtOnce = idsPerCommand
    package static let textRulesTried = 100
    /// Reports kept for the app; further ones replace the oldest.
    package static let reports = 100_000
    /// Reports of one user; further ones replace that user's oldest.
    package static let reportsPerUser = 1_000
    package static let reportsPerGuest = 20
    package static let reportsOfAllGuests = 25_000
    /// Reports by text rules, of one author and of all, beyond those by users; further ones replace the oldest.
    package static let reportsPerAuthor = 100
    package static let reportsOfRules = 25_000
    package static let descriptionBytes = 1_024
    package static let filesPerMessage = 20
    package static let metaArrayKeys = 20
    package static let metaArrayKeyBytes = 128
    package static let metaArrayValues = 100
    package static let metaArrayValueBytes = 1_024
    /// The keys and values of one message together.
    package static let metaArrayBytes = 16_384
    package static let targetLanguages = 10
    package static let languageTagBytes = 35
    package static let soundNameCodePoints = 128
    package static let thumbnailsPerMessage = 3
    package static let thumbnailPixels = 1...4_096
    package static let mimeTypeBytes = 127
    /// Uploads of one user that are not yet part of a message, across all channels.
    package static let unsentFilesPerUser = 100
    /// How long an unsent upload is kept: one day.
    package static let unsentFileMilliseconds: Int64 = 86_400_000
    /// Uploads of one user to ephemeral channels, each of which is kept for one day.
    package static let ephemeralFilesPerUser = 1_000
    /// The interval of the scan for expired uploads.
    package static let fileScanMilliseconds = 600_000
    package static let expiredFilesAtOnce = 100
    /// Up to 100 years.
    package static let sanctionSeconds: ClosedRange<Int64> = 1...3_153_600_000
    /// Up to 100 years.
    package static let tokenSeconds: ClosedRange<Int64> = 1...3_153_600_000
    /// How far in the future a revocation time may be, for issuers whose clock is ahead.
    package static let revocationLeadSeconds: Int64 = 60
    /// Messages on one side of an anchor, or entries on one page.
    package static let pageSize = 100
    package static let defaultPageSize = 30
    /// Lines on one page of an export.
    package static let exportPageSize = 1_000
    package static let defaultExportPageSize = 500
    package static let searchBytes = 256
    package static let webhooks = 20
    package static let signingKeyBytes = 24...256
    package static let hookMilliseconds = 50...5_000
    package static let hookReasonBytes = 256
    package static let devicesPerUser = 20
    package static let deviceTokenBytes = 4_096
    /// Imports under way.
    package static let importsAtOnce = 4
    /// Imports known, including those that have ended; a new one replaces the oldest of these.
    package static let importsKept = 100
    /// Lines of one `import.add`: as many as a request's longest list.
    package static let importLinesAtOnce = idsPerCommand
    /// Lines of one import, through all its `import.add`.
    package static let importLines = 10_000_000_000
    package static let sourceIDBytes = 128
    /// Channels that one `import.finish` opens or discards.
    package static let channelsSettledAtOnce = 100
    /// Memberships at which one `import.finish` opens no further channel.
    package static let membershipsSettledAtOnce = 5_000
}
