import ChatModel

/// `subscribe`: one room by name, optionally from a position.
///
/// `positioned` and `recoverable` are ignored, because every room has both. `delta` and bit 0 of `flag` offer a
/// compression, which the reply declines by not naming it, as the protocol specifies. A field that would change who
/// receives what is recorded in `notOffered`, to be refused.
public struct SubscribeRequest: Equatable, Sendable {
    public var channel: String
    public var recover: RoomPosition?
    /// Bit 1 of `flag`: an unrecoverable position is answered with error 112 instead of `recovered: false`.
    public var rejectUnrecovered: Bool
    /// The first field that requests something Belfry does not support.
    public var notOffered: NotOffered?

    /// Fields of the protocol's request that are not supported; absent, false and empty values request nothing.
    public enum NotOffered: String, Sendable, CaseIterable {
        /// A subscription token: membership alone decides who may subscribe to a room.
        case token
        /// Data for the app's backend, which is not consulted.
        case data
        /// Pushes about other connections joining and leaving.
        case joinLeave = "join_leave"
        /// A filter of publications by tags: ignoring it would send the client events it does not want.
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
            // Any JSON; SDKs of the binary form send a string.
            guard let value = fields.raw(rawValue) else { return false }
            if value.first == UInt8(ascii: "{") { return try fields.object(rawValue).map { !$0.isEmpty } ?? false }
            return !value.elementsEqual(#""""#.utf8)
        }
    }
}
