import ChatModel

/// The payloads of the events.
extension Event {
    package struct UserCreated: Equatable, Sendable {
        package var id: UserID
        package var nickname: String
        package var profileURL: String?
        package var metadata: [String: String]
        /// The incarnation of the user's inbox.
        package var inboxEpoch: String
        /// Whether the user is an admin of all channels (`RO1`).
        package var isAppAdmin: Bool

        package init(
            id: UserID, nickname: String, profileURL: String? = nil, metadata: [String: String], inboxEpoch: String,
            isAppAdmin: Bool = false
        ) {
            self.isAppAdmin = isAppAdmin
            self.id = id
            self.nickname = nickname
            self.profileURL = profileURL
            self.metadata = metadata
            self.inboxEpoch = inboxEpoch
        }
    }

    /// Absent fields keep their values.
    package struct UserUpdated: Equatable, Sendable {
        package var id: UserID
        package var nickname: String?
        package var profileURL: String?
        package var metadata: [String: String]?
        package var isAppAdmin: Bool?

        package init(
            id: UserID, nickname: String? = nil, profileURL: String? = nil, metadata: [String: String]? = nil,
            isAppAdmin: Bool? = nil
        ) {
            self.isAppAdmin = isAppAdmin
            self.id = id
            self.nickname = nickname
            self.profileURL = profileURL
            self.metadata = metadata
        }
    }

    /// A recorded change of a user's presence.
    package struct Sighting: Equatable, Sendable {
        package var user: UserID
        /// When the user's last connection ended, in milliseconds since 1970; `nil` for a connected user.
        package var leftAt: Int64?

        package init(user: UserID, leftAt: Int64?) {
            self.user = user
            self.leftAt = leftAt
        }
    }

    package struct ChannelCreated: Equatable, Sendable {
        package var id: ChannelID
        /// The incarnation of the channel's room.
        package var epoch: String
        package var name: String
        package var isPublic: Bool
        package var isSuper: Bool
        package var isEphemeral: Bool
        /// The key that identifies the channel by its members; `nil` if it is not distinct.
        package var distinctKey: DistinctKey?
        package var coverURL: String?
        package var data: String?
        package var customType: String?
        package var metadata: [String: String]
        /// The user who created the channel, a member from the start; `nil` for the server.
        package var creator: UserID?
        package var creatorRole: MemberRole

        package init(
            id: ChannelID, epoch: String, name: String, isPublic: Bool, isSuper: Bool, isEphemeral: Bool = false,
            distinctKey: DistinctKey? = nil,
            coverURL: String? = nil, data: String? = nil, customType: String? = nil, metadata: [String: String],
            creator: UserID? = nil,
            creatorRole: MemberRole
        ) {
            self.id = id
            self.epoch = epoch
            self.name = name
            self.isPublic = isPublic
            self.isSuper = isSuper
            self.isEphemeral = isEphemeral
            self.distinctKey = distinctKey
            self.coverURL = coverURL
            self.data = data
            self.customType = customType
            self.metadata = metadata
            self.creator = creator
            self.creatorRole = creatorRole
        }
    }

    /// Absent fields keep their values; an empty text removes a field.
    package struct ChannelUpdated: Equatable, Sendable {
        package var channel: ChannelID
        package var name: String?
        package var coverURL: String?
        package var data: String?
        package var customType: String?
        package var isPublic: Bool?
        package var isSuper: Bool?
        /// The seconds after which new messages are removed; 0 for never.
        package var messageSeconds: Int?
        /// The seconds between two messages of one member; 0 for no slow mode.
        package var slowModeSeconds: Int?
        /// Whether the server becomes the channel's creator.
        package var isTakenOver: Bool

        var isEmpty: Bool {
            name == nil && coverURL == nil && data == nil && customType == nil && isPublic == nil && isSuper == nil
                && messageSeconds == nil && slowModeSeconds == nil && !isTakenOver
        }

        package init(
            channel: ChannelID, name: String? = nil, coverURL: String? = nil, data: String? = nil,
            customType: String? = nil,
            isPublic: Bool? = nil, isSuper: Bool? = nil, messageSeconds: Int? = nil, slowModeSeconds: Int? = nil,
            isTakenOver: Bool = false
        ) {
            self.channel = channel
            self.name = name
            self.coverURL = coverURL
            self.data = data
            self.customType = customType
            self.isPublic = isPublic
            self.isSuper = isSuper
            self.messageSeconds = messageSeconds
            self.slowModeSeconds = slowModeSeconds
            self.isTakenOver = isTakenOver
        }
    }

    package struct MemberJoined: Equatable, Sendable {
        package var channel: ChannelID
        package var user: UserID
        package var role: MemberRole
        package var invitedBy: UserID?
        /// Whether the new member sees earlier messages (`CH7`).
        package var seesHistory: Bool

        package init(channel: ChannelID, user: UserID, role: MemberRole, invitedBy: UserID? = nil, seesHistory: Bool) {
            self.channel = channel
            self.user = user
            self.role = role
            self.invitedBy = invitedBy
            self.seesHistory = seesHistory
        }
    }

    /// A ban or mute.
    package struct Sanctioned: Equatable, Sendable {
        package var channel: ChannelID
        package var user: UserID
        /// When it ends, in milliseconds since 1970.
        package var until: Int64
        package var description: String?

        package init(channel: ChannelID, user: UserID, until: Int64, description: String? = nil) {
            self.channel = channel
            self.user = user
            self.until = until
            self.description = description
        }
    }

    package struct AppSanctioned: Equatable, Sendable {
        package var user: UserID
        package var until: Int64
        package var description: String?

        package init(user: UserID, until: Int64, description: String? = nil) {
            self.user = user
            self.until = until
            self.description = description
        }
    }

    package struct ChannelHidden: Equatable, Sendable {
        package var channel: ChannelID
        package var user: UserID
        package var state: HiddenState
        /// The first offset that stays visible, if previous messages are hidden too.
        package var visibleFrom: UInt64?

        package init(channel: ChannelID, user: UserID, state: HiddenState, visibleFrom: UInt64? = nil) {
            self.channel = channel
            self.user = user
            self.state = state
            self.visibleFrom = visibleFrom
        }
    }

    package struct MessageSent: Equatable, Sendable {
        package var channel: ChannelID
        package var id: MessageID
        package var kind: MessageKind
        package var text: String
        /// The sender; `nil` for the app itself.
        package var sender: UserID?
        package var clientID: String?
        package var parent: MessageID?
        package var replyToChannel: Bool
        package var customType: String?
        package var data: String?
        package var mentions: Mentions?
        package var extras: MessageExtras?
        /// What a reply quotes of its parent; `nil` for other messages and in records of versions before 5.
        @Boxed package var quote: Quote?
        /// When the message is removed, in milliseconds since 1970; `nil` if it stays (`MT9`).
        package var expiresAt: Int64?
        /// The hash of the content as the sender wrote it, if the message has a client id and text rules changed it.
        package var sentContent: UInt64?

        package init(
            channel: ChannelID, id: MessageID, kind: MessageKind, text: String, sender: UserID? = nil,
            clientID: String? = nil, parent: MessageID? = nil, replyToChannel: Bool, customType: String? = nil,
            data: String? = nil,
            mentions: Mentions? = nil, extras: MessageExtras? = nil, quote: Quote? = nil, expiresAt: Int64? = nil,
            sentContent: UInt64? = nil
        ) {
            self.channel = channel
            self.id = id
            self.kind = kind
            self.text = text
            self.sender = sender
            self.clientID = clientID
            self.parent = parent
            self.replyToChannel = replyToChannel
            self.customType = customType
            self.data = data
            self.mentions = mentions
            self.extras = extras
            self.quote = quote
            self.expiresAt = expiresAt
            self.sentContent = sentContent
        }
    }

    package struct HistoryTrimmed: Equatable, Sendable {
        package var channel: ChannelID
        /// The offset of the last removed message.
        package var upTo: UInt64
        /// The uploads of the removed messages.
        package var files: [FileID]
        /// The offset from which the client ids of removed messages are kept; `nil` in records of versions before 8: those
        /// of the last 24 hours. In the event, because erasures remove client ids from what is replayed.
        package var clientIDsFrom: UInt64?

        package init(channel: ChannelID, upTo: UInt64, files: [FileID], clientIDsFrom: UInt64? = nil) {
            self.channel = channel
            self.upTo = upTo
            self.files = files
            self.clientIDsFrom = clientIDsFrom
        }
    }

    package struct ReadMark: Equatable, Sendable {
        package var channel: ChannelID
        package var user: UserID
        /// The thread's parent; `nil` for the channel itself.
        package var thread: MessageID?
        /// The last offset that counts as read.
        package var upTo: UInt64

        package init(channel: ChannelID, user: UserID, thread: MessageID? = nil, upTo: UInt64) {
            self.channel = channel
            self.user = user
            self.thread = thread
            self.upTo = upTo
        }
    }

    /// Absent fields keep their values; an empty text removes a field.
    package struct ThreadUpdated: Equatable, Sendable {
        package var channel: ChannelID
        package var parent: MessageID
        package var title: String?
        package var data: String?

        package init(channel: ChannelID, parent: MessageID, title: String? = nil, data: String? = nil) {
            self.channel = channel
            self.parent = parent
            self.title = title
            self.data = data
        }
    }

    /// The complete new content of the message.
    package struct MessageUpdated: Equatable, Sendable {
        package var channel: ChannelID
        package var id: MessageID
        package var text: String
        package var customType: String?
        package var data: String?
        package var mentions: Mentions?
        package var extras: MessageExtras?
        /// The hash of the content as it was sent, if the message has a client id and this is its first change. Always
        /// `nil` in records of versions before 5, for which it is computed from the stored content.
        package var sentContent: UInt64?

        package init(
            channel: ChannelID, id: MessageID, text: String, customType: String? = nil, data: String? = nil,
            mentions: Mentions? = nil, extras: MessageExtras? = nil, sentContent: UInt64? = nil
        ) {
            self.channel = channel
            self.id = id
            self.text = text
            self.customType = customType
            self.data = data
            self.mentions = mentions
            self.extras = extras
            self.sentContent = sentContent
        }
    }

    /// What a role may do in the channels of one custom type.
    package struct RoleSet: Equatable, Sendable {
        /// `nil` for channels whose type has no table.
        package var customType: String?
        package var role: ChannelRole
        /// `nil` for what it may do by default.
        package var permissions: [Permission]?

        package init(customType: String? = nil, role: ChannelRole, permissions: [Permission]? = nil) {
            self.customType = customType
            self.role = role
            self.permissions = permissions
        }
    }

    package struct ReportSettled: Equatable, Sendable {
        package var id: MessageID
        package var state: ReportState
        package var note: String?

        package init(id: MessageID, state: ReportState, note: String? = nil) {
            self.id = id
            self.state = state
            self.note = note
        }
    }

    package struct ReportCreated: Equatable, Sendable {
        package var id: MessageID
        package var category: ReportCategory
        package var description: String?
        package var target: ReportTarget
        /// The reporter; of a report by a text rule, the author.
        package var by: UserID
        /// The older report that this one replaces.
        package var replaced: MessageID?
        /// The text rule that reported the text; `nil` for a report by a user.
        package var ruleID: String?

        package init(
            id: MessageID, category: ReportCategory, description: String? = nil, target: ReportTarget, by: UserID,
            replaced: MessageID? = nil, ruleID: String? = nil
        ) {
            self.id = id
            self.category = category
            self.description = description
            self.target = target
            self.by = by
            self.replaced = replaced
            self.ruleID = ruleID
        }
    }
}
