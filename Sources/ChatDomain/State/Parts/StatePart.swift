import ChatModel

/// A piece of the state, as a snapshot keeps it. The pieces of a state, taken in by an empty one in their order, come to
/// the same state: what is a projection is not in them and is drawn up again.
package enum StatePart: Equatable, Sendable {
    case app(AppPart)
    case users([UserPart])
    /// In the order of registration.
    case files([FilePart])
    /// Uploads that belonged to nothing any more when an older server wrote the snapshot. A start deletes them from the
    /// folder, as it does with everything that is not among the files.
    case orphans([FileID])
    case reports([ReportPart])
    /// Before its members and messages.
    case channel(ChannelPart)
    case members(ChannelID, [MemberPart])
    /// The channel's next messages.
    case messages(ChannelID, [MessagePart])
    /// Further emojis, in their order.
    case emojis([Emoji])
    /// Further people and threads of the channel before.
    case channelMore(ChannelID, ChannelMorePart)
    /// Of a member who has too many of them to stand beside the other members.
    case threadMarks(ChannelID, UserID, [MemberPart.ThreadMark])
    /// Reactions on a message, by its place in the channel, that has too many of them to stand beside the others. The
    /// reactors follow those of the pieces before.
    case reactions(ChannelID, place: Int, ReactionsPart)

    /// What it holds, and of which channel.
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
        }
    }

    /// No room comes near it; a piece that says so was not written by the chat.
    static let lastOffset = UInt64(Int64.max)

    /// Why a piece cannot be taken in: it does not go with those before.
    package enum Problem: Error, Equatable, Sendable {
        case unknownUser(UserID)
        case unknownChannel(ChannelID)
        /// What must occur once occurs twice.
        case repeated(String)
        /// A message whose place or parent cannot be.
        case misplaced(MessageID)
        /// Reactions on a message that is not there.
        case misplacedReactions(ChannelID, place: Int)
        /// A room whose events could not be numbered any further.
        case exhausted(String)
    }
}

/// What is neither a user's nor a channel's.
package struct AppPart: Equatable, Sendable {
    package var lastAt: Int64
    package var emojis: [Emoji]
    package var webhooks: [WebhookTarget]
    package var overrides: SettingValues

    package init(lastAt: Int64, emojis: [Emoji], webhooks: [WebhookTarget], overrides: SettingValues) {
        self.lastAt = lastAt
        self.emojis = emojis
        self.webhooks = webhooks
        self.overrides = overrides
    }
}

package struct UserPart: Equatable, Sendable {
    /// As the user is now.
    package var user: Event.UserCreated
    package var autoAcceptInvitations: Bool
    package var isActive: Bool
    package var push: PushPreference
    package var devices: [Device]
    package var inboxTop: UInt64
    /// Seconds since 1970; 0 where none was revoked.
    package var tokensRevokedBefore: Int64
    /// Of a guest, in milliseconds since 1970; 0 for everyone else.
    package var seenAt: Int64
    /// When the last connection ended, in milliseconds since 1970; 0 where that is not known.
    package var lastSeenAt: Int64
    /// Whether the last that was written down is that they came.
    package var isConnected: Bool

    package init(
        user: Event.UserCreated, autoAcceptInvitations: Bool, isActive: Bool, push: PushPreference, devices: [Device],
        inboxTop: UInt64, tokensRevokedBefore: Int64 = 0, seenAt: Int64 = 0, lastSeenAt: Int64 = 0,
        isConnected: Bool = false
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

    package init(report: Event.ReportCreated, at: Int64) {
        self.report = report
        self.at = at
    }
}
