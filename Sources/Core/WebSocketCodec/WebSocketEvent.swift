/// Input from a peer: a whole message or one control frame.
package enum WebSocketEvent: Equatable, Sendable {
    /// A text message; the bytes are valid UTF-8.
    case text([UInt8])
    case binary([UInt8])
    /// At most 125 bytes, to be answered with a pong with the same bytes. RFC 6455 §5.5.2.
    case ping([UInt8])
    case pong([UInt8])
    /// The last event of a connection. The code is nil for an empty close frame; the reason is valid UTF-8 of at
    /// most 123 bytes. RFC 6455 §5.5.1.
    case close(CloseCode?, reason: [UInt8])
}
