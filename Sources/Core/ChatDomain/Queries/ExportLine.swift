import ChatModel

/// A line of an export (`PR2`): a JSON object whose `type` says which other fields it has.
///
/// Values have the shapes of the client protocol. Fields without a value are absent.
package struct ExportLine: Encodable, Sendable {
    package enum Kind: String, Encodable, Sendable, CaseIterable {
        case export, emoji, user, file, report, channel, member, membership, ban, mute, message, reaction, thread, end
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
    package private(set) var file: ExportedFile?
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

    private init(_ type: Kind) { self.type = type }

    /// The first line.
    ///
    /// - Parameter at: The time of the chat's last change, in milliseconds since 1970.
    static func export(of scope: ExportScope, at: Int64) -> ExportLine {
        var line = ExportLine(.export)
        line.version = version
        line.at = at
        switch scope {
        case .everything: break
        case .user(let id): line.userID = id
        case .channel(let id): line.channelID = id
        }
        return line
    }

    static func emoji(_ emoji: Emoji) -> ExportLine {
        var line = ExportLine(.emoji)
        line.emoji = emoji
        return line
    }

    static func user(_ user: UserState) -> ExportLine {
        var line = ExportLine(.user)
        var view = user.view
        view.lastSeenAt = user.lastSeenAt > 0 ? user.lastSeenAt : nil
        line.user = view
        line.autoAcceptInvitations = user.autoAcceptInvitations
        line.push = user.push
        if !user.devices.isEmpty { line.devices = user.devices }
        return line
    }

    static func file(_ part: FilePart) -> ExportLine {
        var line = ExportLine(.file)
        line.file = ExportedFile(part.file)
        line.channelID = part.file.channel
        line.userID = part.file.owner
        line.messageID = part.message
        line.at = part.at
        return line
    }

    static func report(_ report: Report) -> ExportLine {
        var line = ExportLine(.report)
        line.report = report
        return line
    }

    static func channel(_ channel: Channel) -> ExportLine {
        var line = ExportLine(.channel)
        line.channel = channel
        return line
    }

    static func member(_ member: Member, of channel: ChannelID) -> ExportLine {
        var line = ExportLine(.member)
        line.channelID = channel
        line.member = member
        return line
    }

    static func membership(_ membership: MyMembership, in channel: ChannelID) -> ExportLine {
        var line = ExportLine(.membership)
        line.channelID = channel
        line.membership = membership
        return line
    }

    /// - Parameter type: `ban` or `mute`.
    static func sanction(_ type: Kind, _ part: SanctionPart, in channel: ChannelID) -> ExportLine {
        var line = ExportLine(type)
        line.channelID = channel
        line.userID = part.user
        line.until = part.until
        line.description = part.description
        line.by = part.by
        line.at = part.at
        return line
    }

    static func thread(_ part: ThreadPart, in channel: ChannelID) -> ExportLine {
        var line = ExportLine(.thread)
        line.channelID = channel
        line.parentMessageID = part.parent
        line.title = part.title
        line.data = part.data
        return line
    }

    static func message(_ message: Message) -> ExportLine {
        var line = ExportLine(.message)
        line.message = message
        return line
    }

    static func reaction(_ key: String, to message: MessageID, in channel: ChannelID, by user: UserID) -> ExportLine {
        var line = ExportLine(.reaction)
        line.channelID = channel
        line.messageID = message
        line.key = key
        line.userID = user
        return line
    }

    /// The last line, without which an export is incomplete.
    ///
    /// - Parameter lines: The number of the lines before it.
    package static func end(lines: Int) -> ExportLine {
        var line = ExportLine(.end)
        line.lines = lines
        return line
    }
}

/// An upload, whose bytes are in the server's folder under its id.
package struct ExportedFile: Encodable, Sendable {
    package let id: FileID
    package let name: String
    package let size: Int64
    package let mimeType: String

    enum CodingKeys: String, CodingKey {
        case id, name, size
        case mimeType = "mime_type"
    }

    init(_ file: UploadedFile) {
        (id, name, size, mimeType) = (file.id, file.name, file.size, file.mimeType)
    }
}
