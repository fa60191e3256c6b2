import API
import Gateway
import HTTPCodec
import WebSocketCodec

/// Limits per connection.
package struct ConnectionLimits: Sendable {
    package var webSocket = WebSocketLimits()
    /// The largest message before the session starts, in bytes. A returning client names up to 2,000 rooms and
    /// positions.
    package var connectMessageBytes = 524_288
    /// Bytes of rooms and recovered events in the connect reply; the rest follows as pushes.
    package var connectReplyBytes = ConnectReply.roomBytes
    /// Limits for the bare echo endpoint; conformance suites send messages of up to 16 MiB.
    package var echo = WebSocketLimits(
        messageBytes: 16_777_216, frameBytes: 16_777_216, fragmentsPerMessage: 1_048_576)
    package var compression = CompressionOptions()
    package var http = HTTPLimits()
    /// Time limit for one message, from its first byte to its last.
    package var messageMilliseconds: Int64 = 30_000
    package var session = Session.Limits()
    /// Commands per user, across all WebSocket connections and HTTP requests.
    package var commandsPerUser = TokenBucket.Rate(perSecond: 400, burst: 2_000)
    package var guests = GuestRates.Limits()
    /// Requests without credentials.
    package var strangers = StrangerRates.Limits()
    package var routes = RouteLimits()
    /// Limits for remembered requests with an `Idempotency-Key`.
    package var idempotency = IdempotencyStore.Limits()
    package var origins = AllowedOrigins()
    /// The policy for unknown fields in commands, over WebSocket and HTTP.
    package var unknownFields = UnknownFields.refuse
    package var proxies = TrustedProxies()
    package var census = ConnectionCensus.Limits()
    package var outbox = Outbox.Limits()
    /// Unread output, in bytes.
    package var unread = HeldBytes.Limits(ofUser: 33_554_432, total: 1_073_741_824)
    /// Unfinished input (request bodies and messages), in bytes: per user, and per address for unauthenticated peers.
    package var unfinished = HeldBytes.Limits(ofUser: 16_777_216, total: 268_435_456)
    /// Time limit from accepting a connection to the end of its TLS handshake.
    package var handshakeMilliseconds: Int64 = 10_000
    /// Time limit for one request, from waiting for its first byte to receiving its last.
    package var requestMilliseconds: Int64 = 10_000
    /// Idle time limit between two requests.
    package var keepAliveMilliseconds: Int64 = 60_000
    /// How long a peer may take to read the last bytes and close.
    package var lingerMilliseconds: Int64 = 2_000
    /// Bytes that a loop may decode, inflate, encode and forward per turn, across all its connections, so that a turn
    /// ends after a millisecond or two. The last message or answer of a turn may exceed it.
    package var turnBytes = 262_144
    /// Connections per loop; the process's file descriptor limit may lower it.
    package var connectionsPerLoop = 100_000
    /// Extra admin connections per loop, so that operators can still connect when the loop is full.
    package var adminConnectionsPerLoop = 32

    package init() {}

    /// The limits until the session starts.
    var beforeConnect: WebSocketLimits {
        var limits = webSocket
        limits.messageBytes = max(limits.messageBytes, connectMessageBytes)
        limits.frameBytes = limits.messageBytes
        return limits
    }
}
