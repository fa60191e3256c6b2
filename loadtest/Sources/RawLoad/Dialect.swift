/// The protocol of a server. Every server does the same work: it forwards the publisher's messages to all subscribers.
public struct Dialect: Sendable {
    public enum Way: Sendable {
        /// No WebSocket: a first byte distinguishes subscribers from the publisher.
        case bare
        /// WebSocket, with a path for each.
        case plain(subscribe: String, publish: String)
        /// WebSocket with the Centrifuge protocol: a token, then JSON commands.
        case belfry(channel: String, token: @Sendable (_ user: String) throws -> String)
    }

    public var way: Way

    public init(_ way: Way) { self.way = way }

    /// Returns the path of the HTTP upgrade; nil without one.
    func path(publishes: Bool) -> String? {
        switch way {
        case .bare: nil
        case .plain(let subscribe, let publish): publishes ? publish : subscribe
        case .belfry: "/connection/websocket"
        }
    }

    /// Returns the frames to send as soon as the connection is open.
    func greeting(publishes: Bool, user: String) throws -> [[UInt8]] {
        switch way {
        case .bare: [Array((publishes ? "p" : "s").utf8)]
        case .plain: []
        case .belfry(let channel, let token):
            try [
                #"{"id":1,"connect":{"token":"\#(token(user))"\#(publishes ? #","data":{"subscribe":"none"}"# : "")}}"#,
                publishes
                    ? #"{"id":2,"rpc":{"method":"channel.create","data":{"id":"\#(channel)","name":"c","is_public":true,"is_super":true}}}"#
                    : #"{"id":2,"rpc":{"method":"channel.join","data":{"channel_id":"\#(channel)"}}}"#,
            ].map { ClientFrame.text(Array($0.utf8), mask: 0x5A17_33C6) }
        }
    }

    /// The number of replies to the greeting.
    var answers: Int { if case .belfry = way { 2 } else { 0 } }

    /// Returns one message for all subscribers.
    ///
    /// - Parameter bytes: The size of the event that reaches a subscriber. Belfry's events have other fields, so the
    ///   text is only the marker; the other servers get messages as large as Belfry's events.
    func message(_ sequence: Int, bytes: Int) -> [UInt8] {
        let text = Marker.text(sequence)
        if case .belfry(let channel, _) = way {
            let command =
                #"{"id":\#(sequence + 3),"rpc":{"method":"message.send","data":{"channel_id":"\#(channel)","client_id":"\#(sequence)","text":"\#(text)"}}}"#
            return ClientFrame.text(Array(command.utf8), mask: 0x5A17_33C6)
        }
        let payload = Array((text + String(repeating: "x", count: max(0, bytes - Marker.count))).utf8)
        if case .bare = way { return ClientFrame.unmasked(payload) }
        return ClientFrame.text(payload, mask: 0x5A17_33C6)
    }
}
