import ChatModel
import WireProtocol

// What every sent message is told in, once as an event and once as an answer.

extension TypedEvent: WireWritable {
    package func writeFields(to writer: inout JSONWriter) {
        writer.field("at", at)
        writer.optional("by", by?.rawValue)
        writer.encoded("channel", channel)
        writer.optional("channel_id", channelID?.rawValue)
        writer.encoded("invitation", invitation)
        writer.encoded("member", member)
        writer.optional("message", message)
        writer.optional("message_id", messageID?.description)
        writer.optional("parent_message_id", parentMessageID?.description)
        writer.encoded("presence", presence)
        writer.encoded("reaction", reaction)
        writer.encoded("read", read)
        writer.encoded("thread", thread)
        writer.field("type", type.rawValue)
        writer.encoded("typing", typing)
        writer.encoded("unread", unread)
        writer.optional("user", user)
    }
}

extension MessageResponse: WireWritable {
    package func writeFields(to writer: inout JSONWriter) { writer.optional("message", message) }
}

extension Message: WireWritable {
    package func writeFields(to writer: inout JSONWriter) {
        writer.field("channel_id", channelID.rawValue)
        writer.optional("client_id", clientID)
        writer.field("created_at", createdAt)
        writer.encoded("critical_alert", criticalAlert)
        writer.optional("custom_type", customType)
        writer.optional("data", data)
        writer.optional("deleted_at", deletedAt)
        writer.encoded("files", files)
        writer.field("id", id.description)
        writer.field("kind", kind.rawValue)
        writer.optional("mention_type", mentionType?.rawValue)
        writer.encoded("mentioned_user_ids", mentionedUserIDs)
        writer.encoded("meta_arrays", metaArrays)
        writer.field("offset", offset)
        writer.encoded("parent", parent)
        writer.optional("parent_message_id", parentMessageID?.description)
        writer.optional("push_option", pushOption?.rawValue)
        writer.encoded("reactions", reactions)
        writer.optional("reply_to_channel", replyToChannel)
        writer.encoded("target_languages", targetLanguages)
        writer.optional("text", text)
        writer.encoded("thread", thread)
        writer.optional("updated_at", updatedAt)
        writer.optional("user", user)
    }
}

extension User: WireWritable {
    package func writeFields(to writer: inout JSONWriter) {
        writer.field("id", id.rawValue)
        writer.optional("is_active", isActive)
        writer.optional("last_seen_at", lastSeenAt)
        writer.encoded("metadata", metadata)
        writer.field("nickname", nickname)
        writer.optional("online", online)
        writer.optional("profile_url", profileURL)
    }
}
