import ChatDomain
import ChatModel

// Conversion of fields that many events share.

func user(_ text: String, _ field: String = "user") throws(RecordError) -> UserID {
    guard let id = UserID(text) else { throw .invalid(field: field) }
    return id
}

/// - Returns: The user id; `nil` for an empty string, which means the server or no user.
func optionalUser(_ text: String, _ field: String) throws(RecordError) -> UserID? {
    text.isEmpty ? nil : try user(text, field)
}

func users(_ texts: [String], _ field: String) throws(RecordError) -> [UserID] {
    var ids: [UserID] = []
    for text in texts { ids.append(try user(text, field)) }
    return ids
}

func channel(_ text: String, _ field: String = "channel") throws(RecordError) -> ChannelID {
    guard let id = ChannelID(text) else { throw .invalid(field: field) }
    return id
}

extension ProtoId {
    init(_ id: MessageID) {
        self.init()
        high = id.high
        low = id.low
    }

    init(_ id: FileID) {
        self.init()
        high = id.high
        low = id.low
    }

    var message: MessageID { MessageID(high: high, low: low) }
    var file: FileID { FileID(high: high, low: low) }
}
