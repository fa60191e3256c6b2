/// An error for bytes that are not valid JSON (RFC 8259), or for JSON that exceeds the protocol's limits.
public enum JSONSyntaxError: Error, Equatable, Sendable {
    case unexpectedEnd
    /// The 0-based offset of the first unexpected byte.
    case unexpectedByte(at: Int)
    case tooDeep(limit: Int)
    /// An object with more members, or a frame with more objects, than the limit.
    case tooMany(limit: Int)
    case duplicateKey(String)
    case invalidString
    case notAnObject
    /// A field that is missing, has the wrong JSON type or is out of range.
    case wrongType(field: String)
}

/// An error for bytes that are not valid commands in the Protobuf form, or exceed a limit.
package enum ProtobufSyntaxError: Error, Equatable, Sendable {
    /// Invalid Protobuf data at this 0-based byte of the frame: it is truncated, or has a number of more than 64 bits,
    /// a field number of 0, or the end of a group that was not started.
    case malformed(at: Int)
    /// A frame without commands.
    case empty
    /// A command with too many rooms.
    case tooMany(limit: Int)
    /// A string that is not valid UTF-8.
    case invalidString(field: String)
    /// A field that is missing or out of range.
    case invalidValue(field: String)
    /// A bytes field that is not the expected JSON.
    case invalidJSON(field: String, JSONSyntaxError)
}

extension JSONSyntaxError {
    /// A short close reason without any content from the frame.
    package var closeReason: String {
        switch self {
        case .unexpectedEnd: "the JSON ends too early"
        case .unexpectedByte(let position): "invalid JSON at byte \(position)"
        case .tooDeep(let limit): "the JSON is nested deeper than \(limit) levels"
        case .tooMany(let limit): "an object has more than \(limit) members"
        case .duplicateKey: "an object contains a key twice"
        case .invalidString: "a string is not valid UTF-8 or contains half of a surrogate pair"
        case .notAnObject: "a command must be a JSON object"
        case .wrongType(let field): Self.fault(of: field)
        }
    }

    /// The protocol's own field names. The client chooses all others, so the close reason does not repeat them.
    private static let names: Set = [
        "rpc", "method", "connect", "token", "data", "data.subscribe", "subs", "subscribe", "unsubscribe", "channel",
        "recover",
        "offset", "epoch", "flag", "delta", "join_leave", "tf", "refresh",
    ]

    fileprivate static func fault(of field: String) -> String {
        switch field {
        case "id": "a command needs an id from 1 to 4294967295"
        case "command": "unknown command"
        case _ where names.contains(field): "\(field) is missing or has the wrong type"
        default: "a field has the wrong type"
        }
    }
}

extension ProtobufSyntaxError {
    /// A short close reason without any content from the frame.
    package var closeReason: String {
        switch self {
        case .malformed(let position): "invalid Protobuf at byte \(position)"
        case .empty: "the frame contains no command"
        case .tooMany(let limit): "a command names more than \(limit) rooms"
        case .invalidString(let field): "\(field) is not valid UTF-8"
        case .invalidValue(let field): JSONSyntaxError.fault(of: field)
        case .invalidJSON(let field, let error): "\(field): \(error.closeReason)"
        }
    }
}
