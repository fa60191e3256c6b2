/// What is wrong with a frame, as a short close reason that repeats nothing of the frame.
extension JSONSyntaxError {
    package var words: String {
        switch self {
        case .unexpectedEnd: "the JSON ends too early"
        case .unexpectedByte(let position): "invalid JSON at byte \(position)"
        case .tooDeep(let limit): "nested deeper than \(limit)"
        case .tooMany(let limit): "an object with more than \(limit) members"
        case .duplicateKey: "an object contains a key twice"
        case .invalidString: "a text that is not UTF-8, or holds half of a surrogate pair"
        case .notAnObject: "a command must be a JSON object"
        case .wrongType(let field): Self.fault(of: field)
        }
    }

    /// The protocol's own field names; any other name was made up by the client.
    private static let names: Set = [
        "rpc", "method", "connect", "token", "data", "data.subscribe", "subs", "subscribe", "unsubscribe", "channel",
        "recover",
        "offset", "epoch", "flag", "delta", "join_leave", "tf", "refresh",
    ]

    fileprivate static func fault(of field: String) -> String {
        switch field {
        case "id": "a command needs an id from 1 to 4294967295"
        case "command": "no such command"
        case _ where names.contains(field): "\(field) is missing or has another type"
        default: "a field has another type"
        }
    }
}

extension ProtobufSyntaxError {
    package var words: String {
        switch self {
        case .malformed(let position): "invalid Protobuf at byte \(position)"
        case .empty: "no command in the frame"
        case .tooMany(let limit): "more than \(limit) rooms in a command"
        case .invalidString(let field): "\(field) is not UTF-8"
        case .invalidValue(let field): JSONSyntaxError.fault(of: field)
        case .invalidJSON(let field, let error): "\(field): \(error.words)"
        }
    }
}
