import ChatDomain
import ChatModel

/// Facts that follow from a field's name: units, limits and a meaningful example.
enum FieldNotes {
    /// The requests with longer pages than others.
    private static let exports: Set = ["\(ExportUser.self)", "\(ExportChannel.self)"]

    /// Returns additional JSON Schema keywords for a field.
    ///
    /// - Parameter type: The name of the field's type.
    static func constraints(_ name: String, _ shape: Shape, of type: String) -> JSONValue {
        switch (name, shape) {
        case ("limit", .integer) where exports.contains(type): range(1...FieldLimits.exportPageSize)
        case ("limit", .integer):
            ["minimum": 1, "maximum": number(FieldLimits.pageSize)]
        case ("previous", .integer), ("next", .integer), ("reply_limit", .integer), ("participant_limit", .integer):
            ["minimum": 0, "maximum": number(FieldLimits.pageSize)]
        case (_, .integer) where isTime(name):
            ["minimum": 0, "description": "Milliseconds since 1970, by the server's clock."]
        case ("seconds", .integer):
            [
                "minimum": .number(FieldLimits.sanctionSeconds.lowerBound),
                "maximum": .number(FieldLimits.sanctionSeconds.upperBound),
            ]
        case ("expires_in_seconds", .integer): range(FieldLimits.expirySeconds)
        case ("message_seconds", .integer): range(0...FieldLimits.expirySeconds.upperBound)
        case ("slow_mode_seconds", .integer): range(FieldLimits.slowModeSeconds)
        case ("max_age_seconds", .integer): range(FieldLimits.retentionSeconds)
        case ("max_messages", .integer): range(FieldLimits.retentionCount)
        case ("offset", .integer), ("first_offset", .integer):
            ["description": "The place in the channel's room, from 1."]
        case ("text", .text): bytes(FieldLimits.textBytes)
        case ("data", .text): bytes(FieldLimits.dataBytes)
        case ("custom_type", .text): bytes(FieldLimits.customTypeBytes)
        case ("client_id", .text): bytes(FieldLimits.clientIDBytes)
        case ("description", .text): bytes(FieldLimits.descriptionBytes)
        case ("cover_url", .text), ("profile_url", .text), ("url", .text): bytes(FieldLimits.urlBytes)
        case ("name", .text): ["maxLength": number(FieldLimits.nameCodePoints)]
        case ("nickname", .text): ["maxLength": number(FieldLimits.nicknameCodePoints)]
        case ("metadata", .map): ["maxProperties": number(FieldLimits.metadataKeys)]
        case ("marks", .list):
            ["description": "Of each message, the places found in its text: start and length in UTF-16 units."]
        case ("user_ids", .list), ("operator_user_ids", .list):
            ["maxItems": number(FieldLimits.idsPerCommand)]
        default: [:]
        }
    }

    static func isTime(_ name: String) -> Bool {
        name == "at" || name == "until" || name.hasSuffix("_at") || name.hasSuffix("_until")
    }

    private static func range(_ range: ClosedRange<Int>) -> JSONValue {
        ["minimum": number(range.lowerBound), "maximum": number(range.upperBound)]
    }

    private static func number(_ value: Int) -> JSONValue { .number(Int64(value)) }

    private static func bytes(_ limit: Int) -> JSONValue {
        ["maxLength": number(limit), "description": .text("At most \(limit) bytes of UTF-8.")]
    }

    /// Optional fields that make examples more useful.
    static let usefulInExamples: Set = ["text", "name", "nickname", "character"]

    static func example(_ name: String) -> JSONValue? {
        switch name {
        case "text": "hello"
        case "name": "General"
        case "nickname": "Ann"
        case "key": "sob"
        case "character": "\u{1F389}"
        case "hash": "1f0c3a"
        case "message": "not found"
        default: isTime(name) ? 1_780_000_000_000 : nil
        }
    }
}
