/// The id of a user, chosen by the app and opaque to Belfry.
///
/// 1–80 Unicode code points and at most 320 bytes, without control characters (`US1`). Ids are compared byte by byte.
/// Swift treats canonically equivalent strings as equal, but an app's user store does not: someone could register the
/// other spelling of an id there and become that user here.
public struct UserID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The maximum length in Unicode code points.
    public static let codePointLimit = 80
    /// The id as text.
    public let rawValue: String

    /// - Returns: `nil` if the text is empty, too long or contains a control character.
    public init?(_ text: String) {
        var count = 0
        for scalar in text.unicodeScalars {
            count += 1
            guard count <= Self.codePointLimit, !scalar.isControl else { return nil }
        }
        guard count > 0 else { return nil }
        var text = text
        text.makeContiguousUTF8()
        rawValue = text
    }

    /// The id as text.
    public var description: String { rawValue }
    /// Compares byte by byte.
    public static func == (a: Self, b: Self) -> Bool { ByteOrder.areEqual(a.rawValue, b.rawValue) }
    /// Orders ids by their UTF-8 bytes.
    public static func < (a: Self, b: Self) -> Bool { ByteOrder.precedes(a.rawValue, b.rawValue) }

    /// Hashes the UTF-8 bytes.
    public func hash(into hasher: inout Hasher) {
        rawValue.utf8.withContiguousStorageIfAvailable { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

/// The id of a chat channel and of its room: `[A-Za-z0-9_.~-]{1,100}`.
public struct ChannelID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The maximum length in bytes.
    public static let byteLimit = 100
    /// The id as text.
    public let rawValue: String

    /// - Returns: `nil` if the text is empty, longer than 100 bytes or contains a character outside this set.
    public init?(_ text: String) {
        guard (1...Self.byteLimit).contains(text.utf8.count) else { return nil }
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "~"),
                UInt8(ascii: "-"):
                continue
            default: return nil
            }
        }
        rawValue = text
    }

    /// The id as text.
    public var description: String { rawValue }
    /// Orders ids by their bytes.
    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

extension Unicode.Scalar {
    /// Whether this is a C0 control, DEL or a C1 control.
    package var isControl: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }

    /// Whether this character reorders the text around it and so can make one name look like another. Unicode UAX #9
    /// §2.
    package var isBidirectionalControl: Bool {
        switch value {
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}

extension UserID: Codable {
    /// Decodes the JSON form.
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let id = UserID(text) else {
            throw invalid("a user id: 1 to 80 characters, no control characters", decoder)
        }
        self = id
    }
    /// Encodes the JSON form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

extension ChannelID: Codable {
    /// Decodes the JSON form.
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let id = ChannelID(text) else { throw invalid("a channel id: [A-Za-z0-9_.~-]{1,100}", decoder) }
        self = id
    }
    /// Encodes the JSON form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

/// A value that has the right JSON type but is not acceptable; rejected with `invalidValue` (1032), naming the field.
public struct InvalidValue: Error, Sendable {
    /// The name of the field.
    public let field: String
    /// The accepted values, in words.
    public let expected: String
}

func invalid(_ expected: String, _ decoder: any Decoder) -> InvalidValue {
    InvalidValue(field: decoder.codingPath.map(\.stringValue).joined(separator: "."), expected: expected)
}
