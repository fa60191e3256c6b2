import ChatModel

/// One command of a script. It refers to messages by the ids that their commands will give them, which keeps its
/// meaning when other steps are removed.
struct Step: CustomStringConvertible {
    var serial: UInt64
    /// `nil` for the server.
    var user: UserID?
    /// Milliseconds since the previous step.
    var pause: Int64
    var request: any Request

    /// Returns the id of the item that this step creates.
    static func id(_ serial: UInt64) -> MessageID { MessageID(high: serial, low: serial) }

    var description: String { "#\(serial) +\(pause) ms \(user?.rawValue ?? "server"): \(request)" }
}
