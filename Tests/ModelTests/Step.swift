import ChatModel

/// One command of a script. It names messages by the ids that their commands will give them, so that it means the same
/// when others are taken out.
struct Step: CustomStringConvertible {
    var serial: UInt64
    /// `nil` for the server.
    var user: UserID?
    /// Milliseconds since the step before.
    var pause: Int64
    var request: any Request

    /// What this step makes has this id.
    static func id(_ serial: UInt64) -> MessageID { MessageID(high: serial, low: serial) }

    var description: String { "#\(serial) +\(pause) ms \(user?.rawValue ?? "server"): \(request)" }
}
