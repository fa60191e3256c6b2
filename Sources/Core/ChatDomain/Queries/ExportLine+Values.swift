import ChatModel

extension ExportLine {
    enum Kind: String {
        case export, emoji, user, file, report, channel, member, membership, ban, mute, message, reaction, thread, read,
            block, end
    }

    /// The version of the format. Readers ignore fields and types that they do not know.
    static let formatVersion = 1

    private init(_ kind: Kind, _ fill: (inout ExportLine) -> Void) {
        self.init(type: kind.rawValue)
        fill(&self)
    }

    /// The first line.
    ///
    /// - Parameter at: The time of the chat's last change, in milliseconds since 1970.
    static func export(of scope: ExportScope, at: Int64) -> ExportLine {
        ExportLine(.export) {
            $0.version = formatVersion
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

    static func block(_ other: UserID, by user: UserID, at: Int64) -> ExportLine {
        ExportLine(.block) { ($0.userID, $0.blockedUserID, $0.at) = (user, other, at) }
    }

    /// - Parameters:
    ///   - kind: `ban` or `mute`.
    ///   - channel: The channel; nil for the whole app.
    static func sanction(_ kind: Kind, _ part: SanctionPart, in channel: ChannelID?) -> ExportLine {
        ExportLine(kind) {
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
