import ChatModel

/// Types whose JSON is stricter than their decoding reveals, such as ids with an alphabet and a length.
enum KnownTypes {
    static let messageID = "0198c0de-0000-7000-8000-000000000001"

    static func component(of type: any Decodable.Type) -> Component? {
        switch type {
        case is UserID.Type:
            .special(
                schema: [
                    "type": "string", "minLength": 1, "maxLength": .number(Int64(UserID.codePointLimit)),
                    "pattern": #"^[^\u0000-\u001f\u007f-\u009f]+$"#,
                    "description": "Chosen by the app; compared byte by byte.",
                ], example: "ann")
        case is ChannelID.Type:
            .special(
                schema: [
                    "type": "string", "minLength": 1, "maxLength": .number(Int64(ChannelID.byteLimit)),
                    "pattern": "^[A-Za-z0-9_.~-]+$",
                ], example: "general")
        case is MessageID.Type:
            .special(
                schema: [
                    "type": "string", "minLength": 36, "maxLength": 36,
                    "pattern": "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$",
                    "description": "A UUIDv7 (RFC 9562): ids order as they were made.",
                ], example: .text(messageID))
        case is FileID.Type:
            .special(
                schema: [
                    "type": "string", "minLength": 32, "maxLength": 32, "pattern": "^[0-9a-f]{32}$",
                    "description": "Names an upload.",
                ], example: "0123456789abcdef0123456789abcdef")
        case is WebhookEvents.Type:
            .special(
                schema: [
                    "oneOf": [["type": "string", "enum": ["*"]], ["type": "array", "items": ["type": "string"]]]
                ],
                example: "*")
        case is SizeOrToken.Type:
            .special(
                schema: [
                    "oneOf": [["type": "integer", "minimum": 0], ["type": "string"]],
                    "description": "A number of messages beside an anchor, the token of the page before beside limit.",
                ], example: 10)
        default: choices(of: type).map(Component.choice)
        }
    }

    /// Returns the raw values of an enumeration that lists its cases.
    private static func choices(of type: any Decodable.Type) -> [String]? {
        guard let type = type as? any CaseIterable.Type else { return nil }
        func texts<E: CaseIterable>(_ type: E.Type) -> [String] {
            type.allCases.compactMap { ($0 as? any RawRepresentable)?.rawValue as? String }
        }
        let found = texts(type)
        return found.isEmpty ? nil : found
    }

    /// Returns a sample value of a primitive type, without decoding.
    static func sample<T>(_ type: T.Type, attempt: Int = 0) -> T? {
        let value: (any Sendable)? =
            switch type {
            case is String.Type: texts[attempt % texts.count]
            case is Bool.Type: false
            case is Int.Type: 1
            case is Int8.Type: Int8(1)
            case is Int16.Type: Int16(1)
            case is Int32.Type: Int32(1)
            case is Int64.Type: Int64(1)
            case is UInt.Type: UInt(1)
            case is UInt8.Type: UInt8(1)
            case is UInt16.Type: UInt16(1)
            case is UInt32.Type: UInt32(1)
            case is UInt64.Type: UInt64(1)
            case is Double.Type: 1.0
            case is Float.Type: Float(1)
            default: nil
            }
        return value as? T
    }

    /// Sample texts. Every type that decodes a single text accepts at least one of them.
    static let texts = ["ann", messageID, "https://example.org/", "1"]

    static func primitive(_ type: any Decodable.Type) -> Shape? {
        switch type {
        case is String.Type: .text
        case is Bool.Type: .flag
        case is Int.Type, is Int8.Type, is Int16.Type, is Int32.Type, is Int64.Type: .integer(least: nil)
        case is UInt.Type, is UInt8.Type, is UInt16.Type, is UInt32.Type, is UInt64.Type: .integer(least: 0)
        case is Double.Type, is Float.Type: .real
        default: nil
        }
    }
}

/// Detects arrays and dictionaries when only `Decodable` is known.
protocol Collected {
    static var inner: any Decodable.Type { get }
    static var isMap: Bool { get }
    init()
}

extension Array: Collected where Element: Decodable {
    static var inner: any Decodable.Type { Element.self }
    static var isMap: Bool { false }
}

extension Dictionary: Collected where Key == String, Value: Decodable {
    static var inner: any Decodable.Type { Value.self }
    static var isMap: Bool { true }
}
