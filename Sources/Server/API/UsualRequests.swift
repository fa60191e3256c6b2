import ChatModel
import WireProtocol

/// Decodes a common request directly from its text.
///
/// - Returns: Nil for anything unusual; `Codable` then decodes it or reports the error.
package typealias UsualReader<R> = @Sendable (JSONFields) -> R?

/// The fields of a request, read one by one. Handles only what most traffic consists of: non-null strings.
private struct UsualFields {
    private let fields: JSONFields
    private var readCount = 0
    private var isUnusual = false

    init(_ fields: JSONFields) { self.fields = fields }

    /// - Returns: Nil when the field is absent or unusual.
    mutating func text(_ key: String) -> String? {
        guard let text = try? fields.string(key) else { return nil }
        readCount += 1
        return text
    }

    mutating func channelID() -> ChannelID? {
        guard let text = text("channel_id") else { return nil }
        let id = ChannelID(text)
        isUnusual = isUnusual || id == nil
        return id
    }

    /// Reads the raw bytes in place, so an escape sequence makes the request unusual.
    mutating func messageID(_ key: String = "message_id") -> MessageID? {
        guard let value = fields.raw(key), value.first == UInt8(ascii: "\"") else { return nil }
        readCount += 1
        let id = value.dropFirst().dropLast().withUnsafeBufferPointer { MessageID(utf8: $0) }
        isUnusual = isUnusual || id == nil
        return id
    }

    /// Whether every field was read and none was unusual.
    var readsAll: Bool { !isUnusual && readCount == fields.count }
}

extension SendMessage {
    package init?(usual fields: JSONFields) {
        var fields = UsualFields(fields)
        guard let channelID = fields.channelID() else { return nil }
        self.init(
            channelID: channelID, text: fields.text("text"), clientID: fields.text("client_id"),
            parentMessageID: fields.messageID("parent_message_id"))
        guard fields.readsAll else { return nil }
    }
}

extension AddReaction {
    package init?(usual fields: JSONFields) {
        var fields = UsualFields(fields)
        guard let channelID = fields.channelID(), let messageID = fields.messageID(), let key = fields.text("key"),
            fields.readsAll
        else { return nil }
        self.init(channelID: channelID, messageID: messageID, key: key)
    }
}

extension RemoveReaction {
    package init?(usual fields: JSONFields) {
        guard let added = AddReaction(usual: fields) else { return nil }
        self.init(channelID: added.channelID, messageID: added.messageID, key: added.key)
    }
}

extension MarkRead {
    package init?(usual fields: JSONFields) {
        var fields = UsualFields(fields)
        guard let channelID = fields.channelID() else { return nil }
        self.init(channelID: channelID, messageID: fields.messageID())
        guard fields.readsAll else { return nil }
    }
}

extension StartTyping {
    package init?(usual fields: JSONFields) {
        var fields = UsualFields(fields)
        guard let channelID = fields.channelID(), fields.readsAll else { return nil }
        self.init(channelID: channelID)
    }
}

extension StopTyping {
    package init?(usual fields: JSONFields) {
        guard let started = StartTyping(usual: fields) else { return nil }
        self.init(channelID: started.channelID)
    }
}
