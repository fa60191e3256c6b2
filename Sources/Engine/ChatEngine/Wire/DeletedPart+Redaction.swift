import Gateway
import WireProtocol

/// Removes deleted content from encoded events. Values are copied as bytes, not decoded: a client may recover thousands
/// of events of one deleted message.
extension DeletedPart {
    /// What remains of a deleted message, apart from the time of its deletion: its sender and its position.
    private static let keptBefore = ["channel_id", "created_at"]
    private static let keptAfter = ["id", "kind", "offset", "parent_message_id", "reply_to_channel", "user"]

    /// The event as it is recovered after the deletion: unchanged, except that the message is a tombstone. A reply keeps
    /// its own text, and quotes the message as deleted (`MS8`).
    ///
    /// - Returns: `nil` for bytes that this server did not write.
    package func redacting(_ bytes: [UInt8]) -> [UInt8]? {
        guard let event = try? JSONFields(bytes), let message = try? event.object("message") else {
            return (try? JSONFields(bytes)) != nil ? bytes : nil
        }
        var writer = JSONWriter(capacity: bytes.count + 40)
        writer.object { writer in
            for name in event.keys {
                if name == "message" {
                    writer.object(name) { write(message, to: &$0) }
                } else if let value = event.raw(name) {
                    writer.raw(name, value)
                }
            }
        }
        return writer.bytes
    }

    private func write(_ message: JSONFields, to writer: inout JSONWriter) {
        func copy(_ names: [String]) {
            for name in names { if let value = message.raw(name) { writer.raw(name, value) } }
        }
        switch self {
        case .message(let deletedAt):
            copy(Self.keptBefore)
            writer.field("deleted_at", deletedAt)
            copy(Self.keptAfter)
        case .quote:
            for name in message.keys {
                if name == "parent", let parent = try? message.object(name) {
                    writer.object(name) {
                        if let id = parent.raw("id") { $0.raw("id", id) }
                        $0.field("state", "not_found")
                    }
                } else {
                    copy([name])
                }
            }
        }
    }
}
