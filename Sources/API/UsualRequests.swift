import ChatModel
import WireProtocol

/// Reads a request of the usual kind straight out of its text.
///
/// - Returns: Nil for whatever is unusual; then `Codable` reads it, or says what is wrong with it.
package typealias UsualReader<R> = @Sendable (JSONFields) -> R?

/// The fields of a request, taken one by one. Made for what most traffic consists of: nothing but texts, none of them null.
private struct UsualFields {
    private let fields: JSONFields
    private var taken = 0
    private var isUnusual = false

    init(_ fields: JSONFields) { self.fields = fields }

    /// - Returns: Nil when the field is absent, or unusual.
    mutating func text(_ key: String) -> String? {
        guard let text = try? fields.string(key) else { return nil }
        taken += 1
        return text
    }

    mutating func channelID() -> ChannelID? {
        guard let text = text("channel_id") else { return nil }
        let id = ChannelID(text)
        isUnusual = isUnusual || id == nil
        return id
    }

    /// Read where it stands: what is escaped in it is unusual.
    mutating func messageID(_ key: String = "message_id") -> MessageID? {
        guard let value = fields.raw(key), value.first == UInt8(ascii: "\"") else { return nil }
        taken += 1
        let id = value.dropFirst().dropLast().withUnsafeBufferPointer { MessageID(utf8: $0) }
        isUnusual = isUnusual || id == nil
        return id
    }

    /// Whether nothing stood there besides what was taken.
    var wasAll: Bool { !isUnusual && taken == fields.count }
}

extension SendMessage {
    package init?(usual fields: JSONFields) {
        var fields = UsualFields(fields)
        guard let channelID = fields.channelID() else { return nil }
        self.init(
            channelID: channelID, text: fields.text("text"), clientID: fields.text("client_id"),
            parentMessageID: fields.messageID("parent_message_id"))
        guard fields.wasAll else { return nil }
    }
}

extension AddReaction {
    package init?(usual fields: JSONFields) {
        var fields = UsualFields(fields)
        guard let channelID = fields.channelID(), let messageID = fields.messageID(), let key = fields.text("key"),
            fields.wasAll
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
        guard fields.wasAll else { return nil }
    }
}

extension StartTyping {
    package init?(usual fields: JSONFields) {
        var fields = UsualFields(fields)
        guard let channelID = fields.channelID(), fields.wasAll else { return nil }
        self.init(channelID: channelID)
    }
}

extension StopTyping {
    package init?(usual fields: JSONFields) {
        guard let started = StartTyping(usual: fields) else { return nil }
        self.init(channelID: started.channelID)
    }
}
