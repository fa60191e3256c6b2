import ChatModel

/// A value with an estimated JSON size that is never too low and only slightly too high.
protocol WireSized {
    /// The size of the JSON in bytes, including a following comma.
    var wireSize: Int { get }
}

/// The bytes of names, numbers and flags around the texts; generous, because the texts take far more.
private enum Frame {
    static let event = 120
    static let line = 360
    static let recipient = 30
    static let device = 40
    static let user = 160
    static let message = 640
    static let channel = 900
    static let thread = 400
    static let reaction = 120
    static let file = 200
    static let thumbnail = 120
    static let member = 420
}

extension String {
    /// The size as a JSON string, including quotes and escapes (RFC 8259 §7).
    var wireSize: Int {
        // Native Swift strings are contiguous; in others every byte counts as escaped.
        utf8.withContiguousStorageIfAvailable { bytes in
            var size = bytes.count + 3
            // In this form, the compiler can vectorize the loop.
            for byte in bytes { size &+= byte < 0x20 ? 5 : byte == 0x22 || byte == 0x5C ? 1 : 0 }
            return size
        } ?? 6 * utf8.count + 3
    }
}

extension Optional where Wrapped == String {
    fileprivate var wireSize: Int { self?.wireSize ?? 0 }
}

extension UserID { var wireSize: Int { rawValue.wireSize } }

extension ChannelID {
    /// The size of an id, which contains no characters to escape.
    var wireSize: Int { rawValue.utf8.count + 3 }
}

extension [String: String] {
    fileprivate var wireSize: Int { reduce(2) { $0 + $1.key.wireSize + $1.value.wireSize } }
}

extension User: WireSized {
    var wireSize: Int {
        Frame.user + id.wireSize + nickname.wireSize + profileURL.wireSize + (metadata?.wireSize ?? 0)
    }
}

extension MessageFile: WireSized {
    var wireSize: Int {
        Frame.file + url.wireSize + name.wireSize + mimeType.wireSize
            + (thumbnails ?? []).reduce(0) { $0 + Frame.thumbnail + $1.url.wireSize }
    }
}

extension Reaction: WireSized {
    var wireSize: Int { Frame.reaction + key.wireSize + userIDs.reduce(0) { $0 + $1.wireSize } }
}

extension MessageThread: WireSized {
    var wireSize: Int {
        Frame.thread + channelID.wireSize + title.wireSize + data.wireSize
            + (mostRepliedUsers ?? []).reduce(0) { $0 + $1.wireSize }
    }
}

extension MessageParent: WireSized {
    var wireSize: Int { Frame.user + text.wireSize + (user?.wireSize ?? 0) + (file?.wireSize ?? 0) }
}

extension Message: WireSized {
    static let leastWireSize = Frame.message

    var wireSize: Int {
        var size = Frame.message + channelID.wireSize + text.wireSize + (user?.wireSize ?? 0)
        size += clientID.wireSize + customType.wireSize + data.wireSize
        size += (parent?.wireSize ?? 0) + (thread?.wireSize ?? 0)
        for reaction in reactions ?? [] { size += reaction.wireSize }
        for user in mentionedUserIDs ?? [] { size += user.wireSize }
        for (key, values) in metaArrays ?? [:] { size += values.reduce(key.wireSize + 3) { $0 + $1.wireSize } }
        for language in targetLanguages ?? [] { size += language.wireSize }
        size += (criticalAlert?.name.wireSize ?? 0) + sourceID.wireSize
        for file in files ?? [] { size += file.wireSize }
        return size
    }
}

extension Channel: WireSized {
    var wireSize: Int {
        Frame.channel + id.wireSize + name.wireSize + customType.wireSize + data.wireSize + coverURL.wireSize
            + (metadata?.wireSize ?? 0) + (createdBy?.wireSize ?? 0) + (lastMessage?.wireSize ?? 0)
            + (my?.permissions?.reduce(20) { $0 + $1.rawValue.utf8.count + 3 } ?? 0)
    }
}

extension Member: WireSized {
    var wireSize: Int { Frame.member + user.wireSize + (invitedBy?.wireSize ?? 0) }
}

extension TypedEvent: WireSized {
    package var wireSize: Int {
        var size = Frame.event + (channelID?.wireSize ?? 0) + (by?.wireSize ?? 0)
        size += ($message?.value.wireSize ?? 0) + ($thread?.value.wireSize ?? 0) + ($channel?.value.wireSize ?? 0)
        size +=
            ($member?.value.wireSize ?? 0) + ($user?.value.wireSize ?? 0)
            + ($sanction?.value.wireSize ?? 0) + ($block?.value.user.wireSize ?? 0)
            + ($report?.value.wireSize ?? 0)
        if let reaction {
            size += Frame.reaction + (reaction.key?.wireSize ?? 0) + (reaction.userID?.wireSize ?? 0)
        }
        if let invitation {
            size += invitation.channel.wireSize + (invitation.inviter?.wireSize ?? 0) + invitation.invitee.wireSize
        }
        if read != nil || unread != nil { size += Frame.member }
        return size
    }
}

extension PushNotice.Recipient: WireSized {
    var wireSize: Int { devices.reduce(Frame.recipient + user.wireSize) { $0 + Frame.device + $1.token.wireSize } }
}

extension Sanction: WireSized {
    var wireSize: Int { Frame.member + user.wireSize + description.wireSize + (by?.wireSize ?? 0) }
}

extension TextRuleDefinition: WireSized {
    var wireSize: Int {
        let lists = [words, forbiddenDomains, allowedDomains, customTypes].compactMap(\.self).joined()
        return lists.reduce(Frame.user + id.wireSize + pattern.wireSize) { $0 + $1.wireSize + 1 }
    }
}

extension BlockedUser: WireSized {
    var wireSize: Int { Frame.user + user.wireSize }
}

extension Report: WireSized {
    var wireSize: Int {
        Frame.member + description.wireSize + note.wireSize + ruleID.wireSize + (by?.wireSize ?? 0)
            + (userID?.wireSize ?? 0)
            + (channelID?.wireSize ?? 0)
    }
}

extension ExportLine: WireSized {
    var wireSize: Int {
        var size = Frame.line + (channelID?.wireSize ?? 0) + (userID?.wireSize ?? 0) + (by?.wireSize ?? 0)
        size += (blockedUserID?.wireSize ?? 0)
        size += description.wireSize + title.wireSize + data.wireSize + key.wireSize
        size += (user?.wireSize ?? 0) + (file?.wireSize ?? 0) + (report?.wireSize ?? 0) + (channel?.wireSize ?? 0)
        size += (member?.wireSize ?? 0) + (message?.wireSize ?? 0)
        for device in devices ?? [] { size += Frame.device + device.token.wireSize }
        if let emoji { size += Frame.user + emoji.key.wireSize + emoji.url.wireSize + emoji.category.wireSize }
        if membership != nil { size += Frame.channel }
        return size
    }
}

extension ThreadEntry: WireSized {
    var wireSize: Int {
        Frame.thread + thread.wireSize + channel.wireSize + parent.wireSize
            + replies.reduce(0) { $0 + $1.wireSize } + participants.reduce(0) { $0 + $1.wireSize }
    }
}
