import ChatModel

package struct ChannelPart: Equatable, Sendable {
    /// The channel in its current form; the role of its creator is ignored.
    package var channel: Event.ChannelCreated
    package var createdAt: Int64
    package var isFrozen: Bool
    package var top: UInt64
    /// Sorted by user.
    package var invitations: [InvitationPart]
    /// Sorted by user.
    package var bans: [SanctionPart]
    package var mutes: [SanctionPart]
    /// Sorted by parent.
    package var threads: [ThreadPart]
    /// Sorted by user.
    package var senders: [SenderPart] = []
    /// The number of messages that follow.
    package var messageCount: Int
    /// The seconds after which new messages are removed; `nil` for never.
    package var messageSeconds: Int?
    /// The seconds of the slow mode; `nil` while it is off.
    package var slowModeSeconds: Int?
    package var retention: Retention
    /// The offset after the last message removed by retention; `nil` if none was.
    package var firstOffset: UInt64?
    /// The import that fills the channel; `nil` for one that is open to its members.
    package var importID: String?
    /// The index in its block of the first message that follows.
    package var shift = 0

    package init(
        channel: Event.ChannelCreated, createdAt: Int64, isFrozen: Bool, top: UInt64, invitations: [InvitationPart],
        bans: [SanctionPart], mutes: [SanctionPart], threads: [ThreadPart], messageCount: Int,
        messageSeconds: Int? = nil, slowModeSeconds: Int? = nil, retention: Retention = Retention(),
        firstOffset: UInt64? = nil, importID: String? = nil
    ) {
        self.channel = channel
        self.createdAt = createdAt
        self.isFrozen = isFrozen
        self.top = top
        self.invitations = invitations
        self.bans = bans
        self.mutes = mutes
        self.threads = threads
        self.messageCount = messageCount
        self.messageSeconds = messageSeconds
        self.slowModeSeconds = slowModeSeconds
        self.retention = retention
        self.firstOffset = firstOffset
        self.importID = importID
    }
}

/// Lists of a channel that did not fit into its first piece.
package struct ChannelMorePart: Equatable, Sendable {
    package var invitations: [InvitationPart] = []
    package var bans: [SanctionPart] = []
    package var mutes: [SanctionPart] = []
    package var threads: [ThreadPart] = []
    package var senders: [SenderPart] = []

    package init() {}

    var isEmpty: Bool {
        invitations.isEmpty && bans.isEmpty && mutes.isEmpty && threads.isEmpty && senders.isEmpty
    }
}

package struct InvitationPart: Equatable, Sendable {
    package var user: UserID
    package var inviter: UserID?
    package var role: MemberRole
    package var at: Int64

    package init(user: UserID, inviter: UserID?, role: MemberRole, at: Int64) {
        self.user = user
        self.inviter = inviter
        self.role = role
        self.at = at
    }
}

package struct SanctionPart: Equatable, Sendable {
    package var user: UserID
    package var until: Int64
    package var description: String?
    package var at: Int64
    package var by: UserID?
    /// Whether the user was neither a member nor invited.
    package var isOutsider: Bool

    package init(
        user: UserID, until: Int64, description: String?, at: Int64, by: UserID?, isOutsider: Bool = false
    ) {
        self.user = user
        self.until = until
        self.description = description
        self.at = at
        self.by = by
        self.isOutsider = isOutsider
    }
}

/// When a user sent the last message to a channel in slow mode, in milliseconds since 1970.
package struct SenderPart: Equatable, Sendable {
    package var user: UserID
    package var at: Int64

    package init(user: UserID, at: Int64) {
        self.user = user
        self.at = at
    }
}

/// The title and data of a thread; its replies are stored as messages.
package struct ThreadPart: Equatable, Sendable {
    package var parent: MessageID
    package var title: String?
    package var data: String?

    package init(parent: MessageID, title: String?, data: String?) {
        self.parent = parent
        self.title = title
        self.data = data
    }
}

package struct MemberPart: Equatable, Sendable {
    package struct ThreadMark: Equatable, Sendable {
        package var parent: MessageID
        package var upTo: UInt64

        package init(parent: MessageID, upTo: UInt64) {
            self.parent = parent
            self.upTo = upTo
        }
    }

    package var user: UserID
    package var role: MemberRole
    package var joinedAt: Int64
    package var invitedBy: UserID?
    package var since: UInt64
    package var joinOffset: UInt64
    package var visibleFrom: UInt64
    package var lastRead: UInt64
    package var receipt: UInt64
    /// Sorted by parent.
    package var threadMarks: [ThreadMark]
    package var hidden: HiddenState
    package var push: ChannelPush
    /// Whether a message has unhidden the channel and the member has not been notified yet; `hidden` is then
    /// `unhidden`.
    package var needsUnhideNotice: Bool

    package init(
        user: UserID, role: MemberRole, joinedAt: Int64, invitedBy: UserID?, since: UInt64, joinOffset: UInt64,
        visibleFrom: UInt64, lastRead: UInt64, receipt: UInt64, threadMarks: [ThreadMark], hidden: HiddenState,
        push: ChannelPush, needsUnhideNotice: Bool = false
    ) {
        self.user = user
        self.role = role
        self.joinedAt = joinedAt
        self.invitedBy = invitedBy
        self.since = since
        self.joinOffset = joinOffset
        self.visibleFrom = visibleFrom
        self.lastRead = lastRead
        self.receipt = receipt
        self.threadMarks = threadMarks
        self.hidden = hidden
        self.push = push
        self.needsUnhideNotice = needsUnhideNotice
    }
}
