import ChatModel
import WireProtocol

/// The objects of Stream's exports: only what is imported.
struct StreamTime: Decodable {
    /// Since 1970; `nil` for the year 1 and other times that mean *never*.
    let milliseconds: Int64?

    init(from decoder: any Decoder) throws {
        milliseconds = SourceTime.milliseconds(of: try decoder.singleValueContainer().decode(String.self))
    }
}

struct StreamUser: Decodable {
    let id: UserID
    let name: String?
    let image: String?
    let lastActive: StreamTime?
    let deactivatedAt: StreamTime?

    enum CodingKeys: String, CodingKey {
        case id, name, image
        case lastActive = "last_active"
        case deactivatedAt = "deactivated_at"
    }

    var imported: ImportedUser {
        var user = ImportedUser(id: id)
        if let name, !name.isEmpty { user.nickname = PlainName.cut(name, 80) }
        user.profileURL = PlainName.link(image)
        user.isActive = deactivatedAt?.milliseconds == nil
        user.lastSeenAt = lastActive?.milliseconds
        return user
    }
}

struct StreamChannelState: Decodable {
    struct Read: Decodable {
        let user: StreamUser
        let lastRead: StreamTime?

        enum CodingKeys: String, CodingKey {
            case user
            case lastRead = "last_read"
        }
    }

    let channel: StreamChannel
    let members: [StreamMember]?
    let messages: [StreamMessage]?
    let read: [Read]?
}

struct StreamChannel: Decodable {
    let type: String
    let name: String?
    let image: String?
    let frozen: Bool?
    let createdAt: StreamTime
    let createdBy: StreamUser?
    private let rawID: String

    enum CodingKeys: String, CodingKey {
        case type, name, image, frozen
        case rawID = "id"
        case createdAt = "created_at"
        case createdBy = "created_by"
    }

    /// The largest number of members of an ordinary channel.
    private static let ordinaryMembers = 100

    /// The type and the id, joined by a dot; other characters than those of ids become `~`.
    var id: ChannelID? { Self.id("\(type):\(rawID)") }

    /// Returns the channel that a message or member of version 2 belongs to.
    static func id(in item: JSONFields) throws -> ChannelID? {
        if let cid = try item.string("cid") ?? item.string("channel_cid") { return id(cid) }
        guard let type = try item.string("channel_type"), let id = try item.string("channel_id") else { return nil }
        return self.id("\(type):\(id)")
    }

    private static func id(_ cid: String) -> ChannelID? {
        let parts = cid.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        return PlainName.channelID(parts.joined(separator: "."))
    }

    func imported(_ id: ChannelID, members: Int) -> ImportedChannel {
        var channel = ImportedChannel(id: id, createdAt: createdAt.milliseconds ?? 0)
        channel.name = name.map { PlainName.cut($0, 200) }
        channel.coverURL = PlainName.link(image)
        channel.customType = type
        channel.isPublic = type == "livestream"
        channel.isSuper = members > Self.ordinaryMembers || type == "livestream"
        channel.isDistinct = rawID.hasPrefix("!members") && !(channel.isSuper ?? false)
        channel.isFrozen = frozen
        channel.createdBy = createdBy?.id
        return channel
    }
}

struct StreamMember: Decodable {
    let userID: UserID
    let user: StreamUser?
    let role: String?
    let channelRole: String?
    let isModerator: Bool?
    let invited: Bool?
    let inviteAcceptedAt: StreamTime?
    let createdAt: StreamTime?

    enum CodingKeys: String, CodingKey {
        case user, role, invited
        case userID = "user_id"
        case channelRole = "channel_role"
        case isModerator = "is_moderator"
        case inviteAcceptedAt = "invite_accepted_at"
        case createdAt = "created_at"
    }

    var isInvited: Bool { invited ?? false && inviteAcceptedAt?.milliseconds == nil }

    var imported: ImportedMember {
        var member = ImportedMember(user: ImportedUser(id: userID))
        let moderates =
            isModerator ?? false || channelRole == "channel_moderator"
            || ["owner", "admin", "moderator"].contains(role)
        member.role = moderates ? .operator : .member
        member.state = isInvited ? .invited : .joined
        member.joinedAt = createdAt?.milliseconds
        return member
    }
}

struct StreamMessage: Decodable {
    struct Attachment: Decodable {
        let type: String?
        let title: String?
        let fallback: String?
        let name: String?
        let imageURL: String?
        let assetURL: String?
        let titleLink: String?
        let fileSize: Int64?
        let mimeType: String?

        enum CodingKeys: String, CodingKey {
            case type, title, fallback, name
            case imageURL = "image_url"
            case assetURL = "asset_url"
            case titleLink = "title_link"
            case fileSize = "file_size"
            case mimeType = "mime_type"
        }

        var file: MessageFile? {
            PlainName.file(
                PlainName.link(assetURL) ?? imageURL, name: name ?? title ?? fallback, size: fileSize,
                mimeType: mimeType)
        }
    }

    struct Reaction: Decodable {
        let type: String
        let userID: UserID?
        let user: StreamUser?
        let createdAt: StreamTime?

        enum CodingKeys: String, CodingKey {
            case type, user
            case userID = "user_id"
            case createdAt = "created_at"
        }
    }

    let id: String
    let type: String?
    let text: String?
    let user: StreamUser?
    let createdAt: StreamTime
    let updatedAt: StreamTime?
    let deletedAt: StreamTime?
    let parentID: String?
    let showInChannel: Bool?
    let mentionedUsers: [StreamUser]?
    let attachments: [Attachment]?
    let reactions: [Reaction]?
    let latestReactions: [Reaction]?

    enum CodingKeys: String, CodingKey {
        case id, type, text, user, attachments, reactions
        case createdAt = "created_at"
        case updatedAt = "updated_at"
        case deletedAt = "deleted_at"
        case parentID = "parent_id"
        case showInChannel = "show_in_channel"
        case mentionedUsers = "mentioned_users"
        case latestReactions = "latest_reactions"
    }

    /// Errors and messages that only their sender sees are not imported.
    var isImported: Bool { type != "error" && type != "ephemeral" }

    var isFromApp: Bool { type == "system" || user == nil }

    /// Returns the message. A text with files becomes several messages, because a message has either.
    func imported(in channel: ChannelID) -> [ImportedMessage] {
        let created = createdAt.milliseconds ?? 0
        var message = ImportedMessage(id: id, channelID: channel, createdAt: created)
        message.user = isFromApp ? nil : user.map { ImportedUser(id: $0.id) }
        if let parentID {
            message.parentMessageID = parentID
            message.replyToChannel = showInChannel ?? false
        }
        if let deleted = deletedAt?.milliseconds {
            message.deletedAt = deleted
            return [message]
        }
        if let updated = updatedAt?.milliseconds, updated > created { message.updatedAt = updated }
        let links = isFromApp ? [] : (attachments ?? []).compactMap(\.file)
        let text = text ?? ""
        var messages: [ImportedMessage] = []
        if !text.isEmpty || links.isEmpty {
            var written = message
            written.kind = isFromApp ? .admin : .text
            written.text = text.isEmpty ? placeholder : text
            written.mention((mentionedUsers ?? []).map(\.id))
            messages.append(written)
        }
        return messages + message.messages(with: links, isSecond: !messages.isEmpty)
    }

    /// Stands for attachments that are no files, so that replies keep their parent.
    private var placeholder: String {
        let first = attachments?.first
        let text = first?.titleLink ?? first?.title ?? first?.fallback ?? first?.type ?? ""
        return PlainName.content(text) ?? ImportedMessage.emptyText
    }
}
