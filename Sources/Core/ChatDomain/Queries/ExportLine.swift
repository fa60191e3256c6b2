import ChatModel

/// A line of an export (`PR2`): a JSON object whose `type` says which other fields it has.
///
/// Values have the shapes of the client protocol. Fields without a value are absent.
package struct ExportLine: Encodable, Sendable {
    package enum Kind: String, Encodable, Sendable, CaseIterable {
        case export, emoji, user, file, report, channel, member, membership, ban, mute, message, reaction, thread, read,
            end
    }

    /// The version of the format. Readers ignore fields and kinds that they do not know.
    package static let version = 1

    package let type: Kind
    package private(set) var version: Int?
    package private(set) var at: Int64?
    package private(set) var emoji: Emoji?
    package private(set) var user: User?
    package private(set) var autoAcceptInvitations: Bool?
    package private(set) var push: PushPreference?
    package private(set) var devices: [Device]?
    package private(set) var file: MessageFile?
    package private(set) var report: Report?
    package private(set) var channel: Channel?
    package private(set) var channelID: ChannelID?
    package private(set) var member: Member?
    package private(set) var membership: MyMembership?
    package private(set) var userID: UserID?
    package private(set) var until: Int64?
    package private(set) var description: String?
    package private(set) var by: UserID?
    package private(set) var parentMessageID: MessageID?
    package private(set) var title: String?
    package private(set) var data: String?
    package private(set) var message: Message?
    package private(set) var messageID: MessageID?
    package private(set) var key: String?
    package private(set) var lines: Int?

    enum CodingKeys: String, CodingKey {
        case type, version, at, emoji, user, push, devices, file, report, channel, member, membership, until
        case description, by, title, data, message, key, lines
        case autoAcceptInvitations = "auto_accept_invitations"
        case channelID = "channel_id"
        case userID = "user_id"
        case parentMessageID = "parent_message_id"
        case messageID = "message_id"
    }

    private init(_ type: Kind, _ fill: (inout ExportLine) -> Void) {
        self.type = type
        fill(&self)
    }

    /// The first line.
    ///
    /// - Parameter at: The time of the chat's last change, in milliseconds since 1970.
    static func export(of scope: ExportScope, at: Int64) -> ExportLine {
        ExportLine(.export) {
            $0.version = version
            $0.at = at
            switch scope {
            case .everything: break
            case .user(let id): $0.userID = id
            case .channel(let id): $0.channelID = id
            }
        }
    }

    static func emoji(_ emoji: Emoji) -> ExportLine { ExportLine(.emoji) { $0.emoji = emoji } }

    static func user(_ user: UserState) -> ExportLine {
        ExportLine(.user) {
            $0.user = user.view
            $0.user?.lastSeenAt = user.lastSeenAt > 0 ? user.lastSeenAt : nil
            $0.autoAcceptInvitations = user.autoAcceptInvitations
            $0.push = user.push
            $0.devices = user.devices.isEmpty ? nil : user.devices
        }
    }

    static func file(_ part: FilePart) -> ExportLine {
        ExportLine(.file) {
            $0.file = part.file.view
            $0.channelID = part.file.channel
            $0.userID = part.file.owner
            $0.messageID = part.message
            $0.at = part.at
        }
    }

    static func report(_ report: Report) -> ExportLine { ExportLine(.report) { $0.report = report } }

    static func channel(_ channel: Channel) -> ExportLine { ExportLine(.channel) { $0.channel = channel } }

    static func member(_ member: Member, of channel: ChannelID) -> ExportLine {
        ExportLine(.member) { ($0.channelID, $0.member) = (channel, member) }
    }

    static func membership(_ membership: MyMembership, in channel: ChannelID) -> ExportLine {
        ExportLine(.membership) { ($0.channelID, $0.membership) = (channel, membership) }
    }

    /// - Parameter type: `ban` or `mute`.
    static func sanction(_ type: Kind, _ part: SanctionPart, in channel: ChannelID) -> ExportLine {
        ExportLine(type) {
            ($0.channelID, $0.userID) = (channel, part.user)
            ($0.until, $0.description) = (part.until, part.description)
            ($0.at, $0.by) = (part.at, part.by)
        }
    }

    static func message(_ message: Message) -> ExportLine { ExportLine(.message) { $0.message = message } }

    static func reaction(_ key: String, to message: MessageID, in channel: ChannelID, by user: UserID) -> ExportLine {
        ExportLine(.reaction) {
            ($0.channelID, $0.messageID) = (channel, message)
            ($0.key, $0.userID) = (key, user)
        }
    }

    static func thread(_ part: ThreadPart, in channel: ChannelID) -> ExportLine {
        ExportLine(.thread) {
            ($0.channelID, $0.parentMessageID) = (channel, part.parent)
            ($0.title, $0.data) = (part.title, part.data)
        }
    }

    /// A read marker before the end of the channel; the others are at its end.
    ///
    /// - Parameter message: The last message read; `nil` if there is none.
    static func read(_ message: MessageID?, by user: UserID, in channel: ChannelID) -> ExportLine {
        ExportLine(.read) { ($0.channelID, $0.userID, $0.messageID) = (channel, user, message) }
    }

    /// The last line, without which an export is incomplete.
    ///
    /// - Parameter lines: The number of the lines before it.
    package static func end(lines: Int) -> ExportLine { ExportLine(.end) { $0.lines = lines } }
}
