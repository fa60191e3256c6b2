/// The protocol of a server. Every server does the same work: it forwards what a client sends to everyone in its room.
public struct Dialect: Sendable {
    public enum Way: Sendable {
        /// No WebSocket: the first bytes are the connection's role, as in `loadtest/peers/floor.c`.
        case bare
        /// WebSocket: the path is the role, `/sub`, `/pub` or `/rooms/17`.
        case plain
        /// WebSocket with version 2 of the Centrifuge protocol: a token, then JSON commands. Each of the many rooms is a
        /// channel of its own, with the room's number appended to the name.
        case belfry(channel: String, token: @Sendable (_ user: String) throws -> String)
        /// WebSocket with version 1 of the Centrifuge protocol, without tokens.
        case centrifuge
    }

    public var way: Way

    public init(_ way: Way) { self.way = way }

    /// Returns the path of the HTTP upgrade; nil without one.
    func path(of seat: Seat) -> String? {
        switch way {
        case .bare: nil
        case .plain:
            switch seat {
            case .subscriber: "/sub"
            case .publisher: "/pub"
            case .member(let room, _): "/rooms/\(room)"
            }
        case .belfry, .centrifuge: "/connection/websocket"
        }
    }

    /// Returns the frames to send as soon as the connection is open.
    func greeting(of seat: Seat, user: String) throws -> [[UInt8]] {
        switch way {
        case .bare:
            switch seat {
            case .subscriber: [Array("s".utf8)]
            case .publisher: [Array("p".utf8)]
            case .member(let room, _): [Array("r\(room)\n".utf8)]
            }
        case .plain: []
        case .belfry(let channel, let token):
            try [connect(seat, token: token(user)), enter(seat, channel)].map(Self.command)
        case .centrifuge:
            [#"{"id":1,"params":{}}"#, #"{"id":2,"method":1,"params":{"channel":"\#(channel(seat, "c"))"}}"#]
                .map(Self.command)
        }
    }

    private func connect(_ seat: Seat, token: String) -> String {
        #"{"id":1,"connect":{"token":"\#(token)"\#(seat.listens ? "" : #","data":{"subscribe":"none"}"#)}}"#
    }

    private func enter(_ seat: Seat, _ channel: String) -> String {
        let id = self.channel(seat, channel)
        return switch seat {
        case .publisher:
            #"{"id":2,"rpc":{"method":"channel.create","data":{"id":"\#(id)","name":"c","is_public":true,"is_super":true}}}"#
        case .member(_, isFirst: true):
            #"{"id":2,"rpc":{"method":"channel.create","data":{"id":"\#(id)","name":"c","is_public":true}}}"#
        case .subscriber, .member(_, isFirst: false):
            #"{"id":2,"rpc":{"method":"channel.join","data":{"channel_id":"\#(id)"}}}"#
        }
    }

    private func channel(_ seat: Seat, _ name: String) -> String {
        if case .member(let room, _) = seat { "\(name)\(room)" } else { name }
    }

    /// Whether commands are answered, with lines that begin with their number.
    var hasAnswers: Bool {
        switch way {
        case .bare, .plain: false
        case .belfry, .centrifuge: true
        }
    }

    /// The number of replies to the greeting.
    var answers: Int { hasAnswers ? 2 : 0 }

    /// Returns one message for all subscribers.
    ///
    /// - Parameter bytes: The size of the event that reaches a subscriber. Belfry's events have other fields, so the
    ///   text is only the marker; the other servers get messages as large as Belfry's events.
    func message(_ sequence: Int, bytes: Int) -> [UInt8] {
        if case .belfry = way { return message(sequence, from: .publisher, textBytes: 0) }
        return message(sequence, from: .publisher, textBytes: bytes)
    }

    /// A message to everyone in the sender's room.
    ///
    /// - Parameter textBytes: The size of the text, at least a marker's; JSON around it adds to that.
    func message(_ sequence: Int, from seat: Seat, textBytes: Int) -> [UInt8] {
        let text = Marker.text(sequence) + String(repeating: "x", count: max(0, textBytes - Marker.count))
        return switch way {
        case .bare: ClientFrame.unmasked(Array(text.utf8))
        case .plain: Self.command(text)
        case .belfry(let name, _):
            Self.command(
                #"{"id":\#(sequence + 3),"rpc":{"method":"message.send","data":{"channel_id":"\#(channel(seat, name))","client_id":"\#(sequence)","text":"\#(text)"}}}"#
            )
        case .centrifuge:
            Self.command(
                #"{"id":\#(sequence + 3),"method":3,"params":{"channel":"\#(channel(seat, "c"))","data":{"text":"\#(text)"}}}"#
            )
        }
    }

    private static func command(_ text: String) -> [UInt8] { ClientFrame.text(Array(text.utf8), mask: 0x5A17_33C6) }
}
