import ChatModel

/// A client's command in the Centrifuge client protocol; in the JSON form `{"id":7,"rpc":{…}}`.
public struct ClientEnvelope: Equatable, Sendable {
    public enum Command: Equatable, Sendable {
        case connect(ConnectRequest)
        case subscribe(SubscribeRequest)
        case unsubscribe(channel: String)
        /// `data` is the request's JSON as a slice of the received frame, or empty. In the Protobuf form, it may be any
        /// bytes and is not yet validated.
        case rpc(method: String, data: ArraySlice<UInt8>)
        case refresh(token: String)
        case ping
        /// A protocol command that Belfry does not support: publish, presence, presence_stats, history, send or
        /// sub_refresh.
        case notOffered(String)
        /// The reply to a ping from the server: an empty message.
        case pong
    }

    /// The command's id; 0 for a pong.
    public var id: UInt32
    public var command: Command

    public init(id: UInt32, command: Command) {
        self.id = id
        self.command = command
    }

    private static let unsupported = ["publish", "presence", "presence_stats", "history", "send", "sub_refresh"]

    init(_ fields: JSONFields) throws(JSONSyntaxError) {
        if fields.isEmpty {
            self.init(id: 0, command: .pong)
            return
        }
        guard let number = try fields.unsigned("id"), let id = UInt32(exactly: number), id > 0 else {
            throw .wrongType(field: "id")
        }
        self.init(id: id, command: try Self.command(fields))
    }

    private static func command(_ fields: JSONFields) throws(JSONSyntaxError) -> Command {
        if let rpc = try fields.object("rpc") {
            return .rpc(method: try rpc.string("method") ?? "", data: rpc.raw("data") ?? [])
        }
        if let connect = try fields.object("connect") { return .connect(try ConnectRequest(connect)) }
        if let subscribe = try fields.object("subscribe") { return .subscribe(try SubscribeRequest(subscribe)) }
        if let unsubscribe = try fields.object("unsubscribe") {
            guard let channel = try unsubscribe.string("channel") else { throw .wrongType(field: "channel") }
            return .unsubscribe(channel: channel)
        }
        if let refresh = try fields.object("refresh") { return .refresh(token: try refresh.string("token") ?? "") }
        if fields.raw("ping") != nil { return .ping }
        for name in unsupported where fields.raw(name) != nil { return .notOffered(name) }
        throw .wrongType(field: "command")
    }
}

/// A `connect` command: the client's token and its positions in rooms.
public struct ConnectRequest: Equatable, Sendable {
    public enum Subscribe: String, Sendable {
        case joined, none
    }
    public var token: String?
    public var subscribe: Subscribe
    /// The positions from which to recover server-side subscriptions, by room name.
    public var positions: [String: RoomPosition]

    public init(token: String?, subscribe: Subscribe = .joined, positions: [String: RoomPosition] = [:]) {
        self.token = token
        self.subscribe = subscribe
        self.positions = positions
    }

    init(_ fields: JSONFields) throws(JSONSyntaxError) {
        self.init(token: try fields.string("token"))
        if let data = try fields.object("data") { try read(data: data) }
        if let subs = try fields.object("subs") {
            for (name, sub) in try subs.objects() where try sub.bool("recover") == true {
                positions[name] = RoomPosition(
                    offset: try sub.unsigned("offset") ?? 0, epoch: try sub.string("epoch") ?? "")
            }
        }
    }

    /// Reads the session options, which are JSON in both forms.
    mutating func read(data: JSONFields) throws(JSONSyntaxError) {
        guard let wanted = try data.string("subscribe") else { return }
        guard let subscribe = Subscribe(rawValue: wanted) else { throw .wrongType(field: "data.subscribe") }
        self.subscribe = subscribe
    }

    package func encode(id: UInt32) -> [UInt8] {
        var writer = JSONWriter()
        writer.object {
            $0.field("id", UInt64(id))
            $0.object("connect") {
                if let token { $0.field("token", token) }
                $0.object("data") { $0.field("subscribe", subscribe.rawValue) }
                if !positions.isEmpty {
                    $0.object("subs") {
                        for (name, position) in positions.sorted(by: { $0.key < $1.key }) {
                            $0.object(name) {
                                $0.field("recover", true)
                                $0.field("offset", position.offset)
                                $0.field("epoch", position.epoch)
                            }
                        }
                    }
                }
            }
        }
        return writer.bytes
    }
}

extension ClientEnvelope {
    /// Returns the command in the JSON form, without a newline.
    package func encoded() -> [UInt8] {
        var writer = JSONWriter()
        switch command {
        case .connect(let request): return request.encode(id: id)
        case .subscribe(let request): return request.encode(id: id)
        case .pong: writer.object { _ in }
        case .unsubscribe(let channel):
            writer.object {
                $0.field("id", UInt64(id))
                $0.object("unsubscribe") { $0.field("channel", channel) }
            }
        case .rpc(let method, let data):
            writer.object {
                $0.field("id", UInt64(id))
                $0.object("rpc") {
                    $0.field("method", method)
                    if !data.isEmpty { $0.raw("data", data) }
                }
            }
        case .refresh(let token):
            writer.object {
                $0.field("id", UInt64(id))
                $0.object("refresh") { $0.field("token", token) }
            }
        case .ping:
            writer.object {
                $0.field("id", UInt64(id)); $0.object("ping") { _ in }
            }
        case .notOffered(let name):
            writer.object {
                $0.field("id", UInt64(id)); $0.object(name) { _ in }
            }
        }
        return writer.bytes
    }
}
