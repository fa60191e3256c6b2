import FoundationEssentials

/// JSON of any shape, for inspection.
indirect enum JSON: Equatable, Sendable, Codable, CustomStringConvertible {
    case null
    case bool(Bool)
    case int(Int)
    case double(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])

    init(_ bytes: [UInt8]) throws { self = try JSONDecoder().decode(JSON.self, from: Data(bytes)) }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let string = try? container.decode(String.self) {
            self = .string(string)
        } else if let int = try? container.decode(Int.self) {
            self = .int(int)
        } else if let object = try? container.decode([String: JSON].self) {
            self = .object(object)
        } else if let array = try? container.decode([JSON].self) {
            self = .array(array)
        } else if let bool = try? container.decode(Bool.self) {
            self = .bool(bool)
        } else if let double = try? container.decode(Double.self) {
            self = .double(double)
        } else {
            self = .null
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let bool): try container.encode(bool)
        case .int(let int): try container.encode(int)
        case .double(let double): try container.encode(double)
        case .string(let string): try container.encode(string)
        case .array(let array): try container.encode(array)
        case .object(let object): try container.encode(object)
        }
    }

    subscript(_ key: String) -> JSON? {
        guard case .object(let object) = self else { return nil }
        return object[key]
    }

    var int: Int? {
        guard case .int(let int) = self else { return nil }
        return int
    }

    var string: String? {
        guard case .string(let string) = self else { return nil }
        return string
    }

    var array: [JSON] {
        guard case .array(let array) = self else { return [] }
        return array
    }

    var keys: [String] {
        guard case .object(let object) = self else { return [] }
        return object.keys.sorted()
    }

    /// The JSON text with sorted keys.
    var description: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "not JSON"
    }

    /// A short form of a push: `room type` or `room subscribe`.
    var pushed: String {
        guard let push = self["push"] else { return description }
        let room = push["channel"]?.string ?? "?"
        if let type = push["pub"]?["data"]?["type"]?.string { return "\(room) \(type)" }
        return "\(room) \(push.keys.filter { $0 != "channel" }.joined())"
    }
}
