/// Bytes that are no commands of the Protobuf form, or more of them than the wire allows.
package enum ProtobufSyntaxError: Error, Equatable, Sendable {
    /// No message of protocol buffers from this 0-based byte of the frame on: it ends too early, holds a number of more
    /// than 64 bits, a field of number 0, or the end of a group that was not begun.
    case malformed(at: Int)
    /// A frame without any command.
    case empty
    /// More commands in the frame, or rooms in a command, than there may be.
    case tooMany(limit: Int)
    /// A string that is not UTF-8.
    case invalidString(field: String)
    /// A field that is missing, or out of range.
    case invalidValue(field: String)
    /// A field of bytes which is not the JSON that belongs there.
    case invalidJSON(field: String, JSONSyntaxError)
}
