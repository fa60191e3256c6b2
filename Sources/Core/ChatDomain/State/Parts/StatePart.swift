import ChatModel

/// A piece of the state, as stored in a snapshot. Loading all pieces in order into an empty state restores it.
/// Projections are not stored but rebuilt.
package enum StatePart: Equatable, Sendable {
    case app(AppPart)
    case users([UserPart])
    /// Uploads, in the order of registration.
    case files([FilePart])
    /// Unreferenced uploads, from snapshots by older servers. Startup deletes them from the folder, like every file
    /// that is not in `files`.
    case orphans([FileID])
    case reports([ReportPart])
    /// A channel; its members and messages follow.
    case channel(ChannelPart)
    case members(ChannelID, [MemberPart])
    /// The next messages of the channel.
    case messages(ChannelID, MessageColumns)
    /// Further emojis, in order.
    case emojis([Emoji])
    /// Further lists of the preceding channel.
    case channelMore(ChannelID, ChannelMorePart)
    /// Marks of a member who has too many to share a piece with other members.
    case threadMarks(ChannelID, UserID, [MemberPart.ThreadMark])
    /// Reactions to a message that has too many to share a piece with other messages. The message is given by its place
    /// in the channel; the reactors follow those of the previous pieces.
    case reactions(ChannelID, place: Int, ReactionsPart)
    /// The imports; the channels that they hide follow.
    case imports([ImportPart])
    /// The next blocks on disk with the bodies of the channel's messages, which follow without them.
    case blocks(ChannelID, [BlockPart])
    /// Users who were deleted.
    case erased([ErasedUser])
    /// The next runs on disk with messages of the channel.
    ///
    /// - Parameter first: The place of the first message in them among the channel's messages.
    case runs(ChannelID, first: Int, [RunPart])
    /// Users who are banned or muted in the whole app.
    case appSanctions(AppSanctionsPart)
    /// Whom users have blocked.
    case blockLists([BlockListPart])
    /// The next entries of moderation logs; those of a channel follow it.
    case moderationLog([ModerationPart])
    /// The next text rules.
    case textRules([TextRuleDefinition])
    /// The tables of roles, as far as they differ from the default.
    case roles([RoleDefinition])

    /// A description of the piece: its kind, and its channel if it belongs to one.
    package var name: String {
        switch self {
        case .app: "app"
        case .users: "users"
        case .files: "files"
        case .orphans: "orphans"
        case .reports: "reports"
        case .emojis: "emojis"
        case .channel(let part): "channel \(part.channel.id)"
        case .channelMore(let id, _): "people and threads of \(id)"
        case .members(let id, _): "members of \(id)"
        case .threadMarks(let id, _, _): "thread marks of \(id)"
        case .messages(let id, _): "messages of \(id)"
        case .reactions(let id, _, _): "reactions of \(id)"
        case .imports: "imports"
        case .blocks(let id, _): "blocks of \(id)"
        case .erased: "deleted users"
        case .runs(let id, _, _): "runs of \(id)"
        case .appSanctions: "sanctions of the app"
        case .blockLists: "blocked users"
        case .moderationLog: "moderation logs"
        case .textRules: "text rules"
        case .roles: "roles"
        }
    }

    /// An offset that no real room comes near; the chat never writes a larger one.
    static let lastOffset = UInt64(Int64.max)

    /// The reason why a piece cannot be loaded: it contradicts earlier pieces.
    package enum Problem: Error, Equatable, Sendable {
        case unknownUser(UserID)
        case unknownChannel(ChannelID)
        case unknownImport(String)
        /// An element that must be unique occurs twice.
        case repeated(String)
        /// A message with an impossible place or parent.
        case misplaced(MessageID)
        /// A block of bodies that does not follow the one before.
        case misplacedBlock(ChannelID)
        /// A run of messages that does not follow the one before.
        case misplacedRun(ChannelID)
        /// Reactions to a message that does not exist.
        case misplacedReactions(ChannelID, place: Int)
        /// A room that has run out of offsets.
        case exhausted(String)
    }
}

/// State that belongs to neither a user nor a channel.
package struct AppPart: Equatable, Sendable {
    package var lastAt: Int64
    package var emojis: [Emoji]
    package var webhooks: [WebhookTarget]
    package var overrides: SettingValues
    package var hook: HookTarget?
    /// The key of the hashes of client ids, if bodies are in blocks.
    package var hashKey: HashKey?

    package init(lastAt: Int64, emojis: [Emoji], webhooks: [WebhookTarget], overrides: SettingValues) {
        self.lastAt = lastAt
        self.emojis = emojis
        self.webhooks = webhooks
        self.overrides = overrides
    }
}

package struct UserPart: Equatable, Sendable {
    /// The user in their current form.
    package var user: Event.UserCreated
    package var autoAcceptInvitations: Bool
    package var isActive: Bool
    package var push: PushPreference
    package var devices: [Device]
    package var inboxTop: UInt64
    /// Seconds since 1970; 0 if no tokens were revoked.
    package var tokensRevokedBefore: Int64
    /// When a guest was last active or seen, in milliseconds since 1970; 0 for everyone else.
    package var seenAt: Int64
    /// When the last connection ended, in milliseconds since 1970; 0 if unknown.
    package var lastSeenAt: Int64
    /// Whether the last recorded sighting is a connection.
    package var isConnected: Bool
    /// The user's deletion while it is under way.
    package var erasure: Erasure?

    package init(
        user: Event.UserCreated, autoAcceptInvitations: Bool, isActive: Bool, push: PushPreference, devices: [Device],
        inboxTop: UInt64, tokensRevokedBefore: Int64 = 0, seenAt: Int64 = 0, lastSeenAt: Int64 = 0,
        isConnected: Bool = false, erasure: Erasure? = nil
    ) {
        self.user = user
        self.autoAcceptInvitations = autoAcceptInvitations
        self.isActive = isActive
        self.push = push
        self.devices = devices
        self.inboxTop = inboxTop
        self.tokensRevokedBefore = tokensRevokedBefore
        self.seenAt = seenAt
        self.lastSeenAt = lastSeenAt
        self.isConnected = isConnected
        self.erasure = erasure
    }
}

/// Sorted by user.
package struct AppSanctionsPart: Equatable, Sendable {
    package var bans: [SanctionPart]
    package var mutes: [SanctionPart]

    package init(bans: [SanctionPart] = [], mutes: [SanctionPart] = []) {
        self.bans = bans
        self.mutes = mutes
    }
}

/// An entry of a moderation log.
package struct ModerationPart: Equatable, Sendable {
    /// The channel whose log has it; `nil` for the app's.
    package var log: ChannelID?
    /// The number of earlier entries of the log, including dropped ones.
    package var number: UInt64
    package var entry: ModerationEntry

    package init(log: ChannelID?, number: UInt64, entry: ModerationEntry) {
        self.log = log
        self.number = number
        self.entry = entry
    }
}

package struct BlockListPart: Equatable, Sendable {
    package var user: UserID
    /// Whom the user has blocked.
    package var blocked: UserID
    package var at: Int64

    package init(user: UserID, blocked: UserID, at: Int64) {
        self.user = user
        self.blocked = blocked
        self.at = at
    }
}

package struct FilePart: Equatable, Sendable {
    package var file: UploadedFile
    package var at: Int64
    package var message: MessageID?

    package init(file: UploadedFile, at: Int64, message: MessageID?) {
        self.file = file
        self.at = at
        self.message = message
    }
}

package struct ReportPart: Equatable, Sendable {
    package var report: Event.ReportCreated
    package var at: Int64
    package var state: ReportState
    package var settledAt: Int64?
    package var note: String?

    package init(
        report: Event.ReportCreated, at: Int64, state: ReportState = .open, settledAt: Int64? = nil, note: String? = nil
    ) {
        self.report = report
        self.at = at
        self.state = state
        self.settledAt = settledAt
        self.note = note
    }
}
