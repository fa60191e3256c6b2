import ChatModel
import WireProtocol

// Hand-written encoders for the types in each message's event and acknowledgement.

extension TypedEvent: WireWritable {
    package func writeFields(to writer: inout JSONWriter) {
        writer.field("at", at)
        if let block { writer.encoded("block", block) }
        if let by { writer.field("by", by.rawValue) }
        if let channel { writer.encoded("channel", channel) }
        if let channelID { writer.field("channel_id", channelID.rawValue) }
        if let invitation { writer.encoded("invitation", invitation) }
        if let member { writer.encoded("member", member) }
        if let message = $message { writer.object("message") { message.value.writeFields(to: &$0) } }
        if let messageID { writer.field("message_id", messageID) }
        if let parentMessageID { writer.field("parent_message_id", parentMessageID) }
        if let presence { writer.encoded("presence", presence) }
        if let reaction { writer.encoded("reaction", reaction) }
        if let read { writer.encoded("read", read) }
        if let report { writer.encoded("report", report) }
        if let sanction { writer.encoded("sanction", sanction) }
        if let thread { writer.encoded("thread", thread) }
        writer.field("type", type.rawValue)
        if let typing { writer.encoded("typing", typing) }
        if let unread { writer.encoded("unread", unread) }
        if let user { writer.object("user") { user.writeFields(to: &$0) } }
    }
}

extension MessageResponse: WireWritable {
    package func writeFields(to writer: inout JSONWriter) {
        writer.object("message") { message.writeFields(to: &$0) }
    }
}

extension Message: WireWritable {
    package func writeFields(to writer: inout JSONWriter) {
        writer.field("channel_id", channelID.rawValue)
        if let clientID { writer.field("client_id", clientID) }
        writer.field("created_at", createdAt)
        if let criticalAlert { writer.encoded("critical_alert", criticalAlert) }
        if let customType { writer.field("custom_type", customType) }
        if let data { writer.field("data", data) }
        if let deletedAt { writer.field("deleted_at", deletedAt) }
        if let expiresAt { writer.field("expires_at", expiresAt) }
        if let files { writer.encoded("files", files) }
        if let fromBlocked { writer.field("from_blocked", fromBlocked) }
        writer.field("id", id)
        writer.field("kind", kind.rawValue)
        if let mentionType { writer.field("mention_type", mentionType.rawValue) }
        if let mentionedUserIDs { writer.encoded("mentioned_user_ids", mentionedUserIDs) }
        if let metaArrays { writer.encoded("meta_arrays", metaArrays) }
        writer.field("offset", offset)
        if let parent { writer.encoded("parent", parent) }
        if let parentMessageID { writer.field("parent_message_id", parentMessageID) }
        if let pushOption { writer.field("push_option", pushOption.rawValue) }
        if let reactions { writer.encoded("reactions", reactions) }
        if let replyToChannel { writer.field("reply_to_channel", replyToChannel) }
        if let sourceID { writer.field("source_id", sourceID) }
        if let targetLanguages { writer.encoded("target_languages", targetLanguages) }
        if let text { writer.field("text", text) }
        if let thread { writer.encoded("thread", thread) }
        if let updatedAt { writer.field("updated_at", updatedAt) }
        if let user { writer.object("user") { user.writeFields(to: &$0) } }
    }
}

extension User: WireWritable {
    package func writeFields(to writer: inout JSONWriter) {
        writer.field("id", id.rawValue)
        if let isActive { writer.field("is_active", isActive) }
        if let isAppAdmin { writer.field("is_app_admin", isAppAdmin) }
        if let isDeleted { writer.field("is_deleted", isDeleted) }
        if let isGuest { writer.field("is_guest", isGuest) }
        if let lastSeenAt { writer.field("last_seen_at", lastSeenAt) }
        if let metadata { writer.encoded("metadata", metadata) }
        if isDeleted == nil { writer.field("nickname", nickname) }
        if let online { writer.field("online", online) }
        if let profileURL { writer.field("profile_url", profileURL) }
    }
}

extension JSONWriter {
    /// Writes an id without a string in between.
    fileprivate mutating func field(_ name: String, _ id: MessageID) {
        ascii(name, count: MessageID.textSize) { id.write(to: $0) }
    }
}
