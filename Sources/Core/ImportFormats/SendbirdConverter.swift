import ChatModel
import WireProtocol

/// Converts Sendbird's data exports of users, channels and messages, whose objects have the form of its Platform API
/// (`PR3`).
///
/// A user has `user_id` and no `channel_url`, a message has `message_id`, and everything else with `channel_url` is a
/// channel. Users whom channels and messages contain are imported as well.
package struct SendbirdConverter: ImportConverter {
    package static let lists = ["users", "channels", "messages"]

    private var people = MetPeople()

    package init() {}

    package mutating func lines(of element: JSONFields) throws(ConversionFailure) -> [ImportLine] {
        do {
            let decoder = WireDecoder()
            if element.raw("message_id") != nil {
                return try lines(of: try decoder.decode(SendbirdMessage.self, from: element))
            }
            if element.raw("channel_url") != nil {
                return lines(of: try decoder.decode(SendbirdChannel.self, from: element))
            }
            if element.raw("user_id") != nil {
                return people.meet(try decoder.decode(SendbirdUser.self, from: element).imported)
            }
        } catch let failure as ConversionFailure {
            throw failure
        } catch {
            throw ConversionFailure(decoding: error)
        }
        return []
    }

    private mutating func lines(of channel: SendbirdChannel) -> [ImportLine] {
        let members = channel.members ?? []
        let operators = Set((channel.operators ?? []).map(\.userID))
        var lines: [ImportLine] = []
        for user in [channel.createdBy].compactMap({ $0 }) + members { lines += people.meet(user.imported) }
        lines.append(channel.line)
        for member in members {
            var line = ImportLine(type: "member")
            line.channelID = channel.url
            line.member = ImportedMember(user: ImportedUser(id: member.userID))
            line.member?.role = member.role == "operator" || operators.contains(member.userID) ? .operator : .member
            line.member?.state = member.state == "invited" ? .invited : .joined
            lines.append(line)
        }
        return lines
    }

    private mutating func lines(of message: SendbirdMessage) throws(ConversionFailure) -> [ImportLine] {
        let sender = message.type == "ADMM" ? nil : message.user
        guard sender != nil || message.type == "ADMM" else { throw ConversionFailure("user is missing") }
        var lines = sender.map { people.meet($0.imported) } ?? []
        for imported in message.imported(by: sender?.userID) {
            var line = ImportLine(type: "message")
            line.message = imported
            lines.append(line)
        }
        guard !message.isDeleted, sender != nil else { return lines }
        for reaction in message.reactions ?? [] {
            let (key, new) = people.meet(emoji: reaction.key)
            lines += new
            for user in reaction.userIDs ?? [] {
                lines += people.meet(ImportedUser(id: user))
                var line = ImportLine(type: "reaction")
                (line.channelID, line.messageID) = (message.channelURL, "\(message.id)")
                (line.key, line.userID) = (key, user)
                line.at = SourceTime.milliseconds(of: reaction.updatedAt)
                lines.append(line)
            }
        }
        return lines
    }
}

private struct SendbirdUser: Decodable {
    let userID: UserID
    let nickname: String?
    let profileURL: String?
    let isActive: Bool?
    let lastSeenAt: Int64?
    let metadata: [String: String]?
    /// Only in a channel's list of members.
    let state: String?
    let role: String?

    enum CodingKeys: String, CodingKey {
        case nickname, metadata, state, role
        case userID = "user_id"
        case profileURL = "profile_url"
        case isActive = "is_active"
        case lastSeenAt = "last_seen_at"
    }

    var imported: ImportedUser {
        var user = ImportedUser(id: userID)
        if let nickname, !nickname.isEmpty { user.nickname = PlainName.cut(nickname, 80) }
        user.profileURL = PlainName.link(profileURL)
        user.metadata = metadata
        user.isActive = isActive
        user.lastSeenAt = SourceTime.milliseconds(of: lastSeenAt)
        return user
    }
}

private struct SendbirdChannel: Decodable {
    let url: ChannelID
    let name: String?
    let coverURL: String?
    let data: String?
    let customType: String?
    let isDistinct: Bool?
    let isPublic: Bool?
    let isSuper: Bool?
    let isEphemeral: Bool?
    let freeze: Bool?
    let createdAt: Int64
    let createdBy: SendbirdUser?
    let members: [SendbirdUser]?
    let operators: [SendbirdUser]?
    let metadata: [String: String]?

    enum CodingKeys: String, CodingKey {
        case name, data, freeze, members, operators, metadata
        case url = "channel_url"
        case coverURL = "cover_url"
        case customType = "custom_type"
        case isDistinct = "is_distinct"
        case isPublic = "is_public"
        case isSuper = "is_super"
        case isEphemeral = "is_ephemeral"
        case createdAt = "created_at"
        case createdBy = "created_by"
    }

    var line: ImportLine {
        var channel = ImportedChannel(id: url, createdAt: SourceTime.milliseconds(of: createdAt) ?? 0)
        channel.name = name.map { PlainName.cut($0, 200) }
        channel.coverURL = PlainName.link(coverURL)
        channel.data = PlainName.content(data)
        channel.customType = PlainName.content(customType)
        (channel.isPublic, channel.isSuper, channel.isEphemeral) = (isPublic, isSuper, isEphemeral)
        channel.isDistinct = isDistinct ?? false && !(isSuper ?? false)
        channel.isFrozen = freeze
        channel.createdBy = createdBy?.userID
        channel.metadata = metadata
        var line = ImportLine(type: "channel")
        line.channel = channel
        return line
    }
}

private struct SendbirdMessage: Decodable {
    struct File: Decodable {
        let url: String?
        let name: String?
        let type: String?
        let size: Int64?

        var imported: MessageFile? { PlainName.file(url, name: name, size: size, mimeType: type) }
    }

    struct Reaction: Decodable {
        let key: String
        let userIDs: [UserID]?
        let updatedAt: Int64?

        enum CodingKeys: String, CodingKey {
            case key
            case userIDs = "user_ids"
            case updatedAt = "updated_at"
        }
    }

    struct MetaArray: Decodable {
        let key: String
        let value: [String]?
    }

    let id: Int64
    let type: String
    let channelURL: ChannelID
    let user: SendbirdUser?
    let text: String?
    let data: String?
    let customType: String?
    let createdAt: Int64
    let updatedAt: Int64?
    let isRemoved: Bool?
    let parentMessageID: Int64?
    let isReplyToChannel: Bool?
    let mentionType: String?
    let mentionedUsers: [SendbirdUser]?
    let file: File?
    let files: [File]?
    let reactions: [Reaction]?
    let metaArrays: [MetaArray]?

    enum CodingKeys: String, CodingKey {
        case type, user, data, file, files, reactions
        case id = "message_id"
        case channelURL = "channel_url"
        case text = "message"
        case customType = "custom_type"
        case createdAt = "created_at"
        case updatedAt = "updated_at"
        case isRemoved = "is_removed"
        case parentMessageID = "parent_message_id"
        case isReplyToChannel = "is_reply_to_channel"
        case mentionType = "mention_type"
        case mentionedUsers = "mentioned_users"
        case metaArrays = "sorted_metaarray"
    }

    var isDeleted: Bool { isRemoved ?? false }

    /// - Parameter sender: `nil` for a message from the app itself.
    /// - Returns: The message, as several messages if it has too many files for one.
    func imported(by sender: UserID?) -> [ImportedMessage] {
        let created = SourceTime.milliseconds(of: createdAt) ?? 0
        var message = ImportedMessage(id: "\(id)", channelID: channelURL, createdAt: created)
        message.user = sender.map { ImportedUser(id: $0) }
        let updated = SourceTime.milliseconds(of: updatedAt)
        if let parentMessageID, parentMessageID > 0 {
            message.parentMessageID = "\(parentMessageID)"
            message.replyToChannel = isReplyToChannel ?? false
        }
        guard !isDeleted else {
            message.deletedAt = updated ?? created
            return [message]
        }
        message.updatedAt = updated
        message.customType = PlainName.content(customType)
        message.data = PlainName.content(data)
        if mentionType == "channel" {
            message.mentionType = .channel
        } else {
            message.mention((mentionedUsers ?? []).map(\.userID))
        }
        var arrays: [String: [String]] = [:]
        for array in metaArrays ?? [] { arrays[array.key] = array.value ?? [] }
        if !arrays.isEmpty { message.metaArrays = arrays }
        let links = ([file].compactMap { $0 } + (files ?? [])).compactMap(\.imported)
        if sender != nil, !links.isEmpty { return message.messages(with: links) }
        message.kind = sender == nil ? .admin : .text
        message.text = PlainName.content(text) ?? ImportedMessage.emptyText
        return [message]
    }
}
