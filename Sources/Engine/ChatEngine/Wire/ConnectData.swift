import ChatModel
import Gateway
import WireProtocol

/// `data` of the connect reply.
package struct ConnectData: WireWritable {
    package let user: User
    /// Totals over all channels, as in the result of `read.counts`. (`U1`)
    package let unread: UnreadTotals
    /// A client that has the emoji list with this hash need not request it again.
    package let emojiHash: String
    package let settings: ClientSettings
    /// Version of the chat's commands and events; raised when clients must know of a change.
    package let protocolVersion: UInt64 = 1

    package init(_ attachment: Attachment) {
        user = attachment.user
        unread = attachment.unread
        emojiHash = attachment.emojiHash
        settings = attachment.settings
    }

    enum CodingKeys: String, CodingKey {
        case user, unread, settings
        case emojiHash = "emoji_hash"
        case protocolVersion = "protocol_version"
    }

    package func writeFields(to writer: inout JSONWriter) {
        writer.field("emoji_hash", emojiHash)
        writer.field("protocol_version", protocolVersion)
        writer.object("settings") { settings.writeFields(to: &$0) }
        writer.object("unread") { unread.writeFields(to: &$0) }
        writer.object("user") { user.writeFields(to: &$0) }
    }
}

extension ClientSettings: WireWritable {
    package func writeFields(to writer: inout JSONWriter) {
        writer.field("mark_as_unread", markAsUnread)
        writer.field("reactions", reactions)
        writer.field("reply_type", replyType.rawValue)
        writer.field("thread_reply_select", threadReplySelect.rawValue)
        writer.field("user_search", userSearch)
    }
}

extension UnreadTotals: WireWritable {
    package func writeFields(to writer: inout JSONWriter) {
        writer.field("unread_channel_count", Int64(unreadChannelCount))
        writer.field("unread_count", Int64(unreadCount))
        writer.field("unread_mention_count", Int64(unreadMentionCount))
        writer.field("unread_reply_count", Int64(unreadReplyCount))
        writer.field("unread_thread_count", Int64(unreadThreadCount))
    }
}
