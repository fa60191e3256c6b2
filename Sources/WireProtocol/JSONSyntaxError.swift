/// Bytes that are not JSON (RFC 8259), or JSON deeper or odder than the wire allows.
public enum JSONSyntaxError: Error, Equatable, Sendable {
    case unexpectedEnd
    /// The 0-based byte offset of the first byte that fits nowhere.
    case unexpectedByte(at: Int)
    case tooDeep(limit: Int)
    /// More members or objects than an envelope may hold.
    case tooMany(limit: Int)
    case duplicateKey(String)
    case invalidString
    case notAnObject
    /// A field is there with another JSON type or out of range.
    case wrongType(field: String)
}
