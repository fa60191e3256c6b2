import API
import Gateway
import HTTPCodec
import WebSocketCodec

/// What one connection may cost.
package struct ConnectionLimits: Sendable {
    package var webSocket = WebSocketLimits()
    /// The largest message before the session lives: a client that comes back names up to 2,000 rooms and positions.
    package var connectMessageBytes = 524_288
    /// Of the connect reply: rooms and recovered events, beyond which the rest follows as pushes.
    package var connectReplyBytes = ConnectReply.roomBytes
    /// Of the bare echo, which conformance suites feed with messages of up to 16 MiB.
    package var echo = WebSocketLimits(
        messageBytes: 16_777_216, frameBytes: 16_777_216, fragmentsPerMessage: 1_048_576)
    package var compression = CompressionOptions()
    package var http = HTTPLimits()
    /// A message, from its first byte to its last.
    package var messageMilliseconds: Int64 = 30_000
    package var session = Session.Limits()
    /// Commands of one user on all connections, over WebSocket and HTTP.
    package var commandsOfUser = TokenBucket.Rate(perSecond: 400, burst: 2_000)
    package var guests = GuestRates.Limits()
    /// Requests without credentials.
    package var strangers = StrangerRates.Limits()
    package var routes = RouteLimits()
    /// What is remembered of requests with an `Idempotency-Key`.
    package var idempotency = AnswerMemory.Limits()
    package var origins = AllowedOrigins()
    /// Of commands, over WebSocket and HTTP.
    package var unknownFields = UnknownFields.refuse
    package var proxies = TrustedProxies()
    package var census = ConnectionCensus.Limits()
    package var outbox = Outbox.Limits()
    package var unread = UnreadBytes.Limits()
    /// From the acceptance of a connection to the end of its TLS handshake.
    package var handshakeMilliseconds: Int64 = 10_000
    /// A request, from the first byte that is awaited to the last.
    package var requestMilliseconds: Int64 = 10_000
    /// Between two requests.
    package var keepAliveMilliseconds: Int64 = 60_000
    /// How long a peer may take to hear the end of the conversation and close.
    package var lingerMilliseconds: Int64 = 2_000
    /// Connections per loop; the process file limit may lower it.
    package var connectionsPerLoop = 100_000
    /// Connections of the admin listener per loop, beside the others: who looks why there is no place needs one.
    package var adminConnectionsPerLoop = 32

    package init() {}

    /// What holds until the session lives.
    var beforeConnect: WebSocketLimits {
        var limits = webSocket
        limits.messageBytes = max(limits.messageBytes, connectMessageBytes)
        limits.frameBytes = limits.messageBytes
        return limits
    }
}
