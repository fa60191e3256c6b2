import ChatModel

/// A `subscribe` command: one room by name, optionally from a position.
///
/// `positioned` and `recoverable` are ignored, because they are true for every room. `delta` and bit 0 of `flag` offer
/// compression; the reply declines it by leaving it out, as the protocol specifies. Unsupported fields that would
/// affect access or delivery are recorded in `notOffered`, and the command is refused.
public struct SubscribeRequest: Equatable, Sendable {
    public var channel: String
    public var recover: RoomPosition?
    /// Bit 1 of `flag`: whether an unrecoverable position causes error 112 instead of `recovered: false`.
    public var rejectUnrecovered: Bool
    /// The first field that requests something unsupported.
    public var notOffered: NotOffered?

    /// Unsupported fields of the request. Absent, false and empty values request nothing.
    public enum NotOffered: String, Sendable, CaseIterable {
        /// A subscription token. In Belfry, only membership gives access to a room.
        case token
        /// Data for the app's backend, which Belfry does not consult.
        case data
        /// Pushes for other connections that join or leave.
        case joinLeave = "join_leave"
        /// A filter for publications by tag. Ignoring it would send the client unwanted events.
        case tagsFilter = "tf"
    }

    public init(
        channel: String, recover: RoomPosition? = nil, rejectUnrecovered: Bool = false,
        notOffered: NotOffered? = nil
    ) {
        self.channel = channel
        self.recover = recover
        self.rejectUnrecovered = rejectUnrecovered
        self.notOffered = notOffered
    }

    init(_ fields: JSONFields) throws(JSONSyntaxError) {
        guard let channel = try fields.string("channel") else { throw .wrongType(field: "channel") }
        self.channel = channel
        if try fields.bool("recover") == true {
            recover = RoomPosition(
                offset: try fields.unsigned("offset") ?? 0, epoch: try fields.string("epoch") ?? "")
        }
        rejectUnrecovered = (try fields.unsigned("flag") ?? 0) & 2 != 0
        _ = try fields.string("delta")
        for field in NotOffered.allCases where try field.isSet(in: fields) {
            notOffered = field
            break
        }
    }

    package func encode(id: UInt32) -> [UInt8] {
        var writer = JSONWriter()
        writer.object {
            $0.field("id", UInt64(id))
            $0.object("subscribe") {
                $0.field("channel", channel)
                if let recover {
                    $0.field("recover", true)
                    $0.field("offset", recover.offset)
                    $0.field("epoch", recover.epoch)
                }
                if rejectUnrecovered { $0.field("flag", UInt64(2)) }
                switch notOffered {
                case .token: $0.field("token", "?")
                case .data: $0.field("data", "?")
                case .joinLeave: $0.field("join_leave", true)
                case .tagsFilter: $0.object("tf") { $0.field("op", "?") }
                case nil: break
                }
            }
        }
        return writer.bytes
    }
}

extension SubscribeRequest.NotOffered {
    fileprivate func isSet(in fields: JSONFields) throws(JSONSyntaxError) -> Bool {
        switch self {
        case .token: return try fields.string(rawValue).map { !$0.isEmpty } ?? false
        case .joinLeave: return try fields.bool(rawValue) ?? false
        case .tagsFilter: return try fields.object(rawValue).map { !$0.isEmpty } ?? false
        case .data:
            // Any JSON is allowed; SDKs for the binary form send a string.
            guard let value = fields.raw(rawValue) else { return false }
            if value.first == UInt8(ascii: "{") { return try fields.object(rawValue).map { !$0.isEmpty } ?? false }
            return !value.elementsEqual(#""""#.utf8)
        }
    }
}
