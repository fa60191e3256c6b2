/// Bytes that are not valid commands in the Protobuf form, or too many of them.
package enum ProtobufSyntaxError: Error, Equatable, Sendable {
    /// Not a valid protocol buffers message at this 0-based byte of the frame: it ends too early, or has a number of
    /// more than 64 bits, a field number 0, or the end of a group that was not started.
    case malformed(at: Int)
    /// A frame without commands.
    case empty
    /// Too many rooms in a command.
    case tooMany(limit: Int)
    /// A string that is not valid UTF-8.
    case invalidString(field: String)
    /// A field that is missing or out of range.
    case invalidValue(field: String)
    /// A bytes field that is not the expected JSON.
    case invalidJSON(field: String, JSONSyntaxError)
}
