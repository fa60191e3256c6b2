/// Bytes that are not valid JSON (RFC 8259), or JSON that exceeds the limits of the wire.
public enum JSONSyntaxError: Error, Equatable, Sendable {
    case unexpectedEnd
    /// The 0-based offset of the first unexpected byte.
    case unexpectedByte(at: Int)
    case tooDeep(limit: Int)
    /// More members or objects than the limit.
    case tooMany(limit: Int)
    case duplicateKey(String)
    case invalidString
    case notAnObject
    /// A field is missing, has another JSON type or is out of range.
    case wrongType(field: String)
}
