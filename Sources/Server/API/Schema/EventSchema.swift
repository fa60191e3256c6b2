import ChatModel

/// The schema of each event type, with its payload fields.
enum EventSchema {
    static func name(_ type: EventType) -> String { "Event_" + AsyncAPIDocument.key(type.rawValue) }

    /// `TypedEvent` narrowed to one event type.
    static func schema(_ type: EventType, _ properties: [Component.Property]) -> JSONValue {
        let requirement: JSONValue
        switch type {
        case .messageUpdated:
            // Users whose visible history starts later receive only the ids.
            requirement = ["anyOf": [["required": ["message"]], ["required": ["channel_id", "message_id"]]]]
        case .messageDeleted: requirement = ["required": ["channel_id", "message_id"]]
        default:
            let payloadFields = payloadFields(type).filter { field in properties.contains { $0.name == field } }
            requirement = payloadFields.isEmpty ? [:] : ["required": .list(payloadFields.map { .text($0) })]
        }
        let narrowed: JSONValue = ["type": "object", "properties": ["type": ["const": .text(type.rawValue)]]]
        return ["allOf": [SchemaWriter.reference("TypedEvent"), narrowed.with(requirement)]]
    }

    /// Returns the fields that are always present. An event carries its payload under the name of its family.
    static func payloadFields(_ type: EventType) -> [String] {
        let family = String(type.rawValue.prefix { $0 != "." })
        return switch family {
        case "operator": ["member"]
        case "user" where type == .userBanned || type == .userMuted: ["sanction"]
        case "thread" where type == .threadReply: ["message", "thread"]
        default: [family]
        }
    }

    static func example(_ type: EventType, _ writer: SchemaWriter, _ properties: [Component.Property]) -> JSONValue {
        let payloadFields = type == .messageDeleted ? ["channel_id", "message_id"] : payloadFields(type)
        let fields = properties.compactMap { property -> (String, JSONValue)? in
            if property.name == "type" { return ("type", .text(type.rawValue)) }
            guard property.isRequired || property.name == "by" || payloadFields.contains(property.name) else {
                return nil
            }
            return (property.name, writer.example(property.shape, name: property.name))
        }
        return .object(fields)
    }
}
