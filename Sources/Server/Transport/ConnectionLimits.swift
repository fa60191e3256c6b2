import API
import Gateway
import HTTPCodec
import WebSocketCodec

/// Limits per connection.
package struct ConnectionLimits: Sendable {
    package var webSocket = WebSocketLimits()
    /// The largest message before the session starts: a returning client names up to 2,000 rooms and positions.
    package var connectMessageBytes = 524_288
    /// Rooms and recovered events in the connect reply, in bytes; the rest follows as pushes.
    package var connectReplyBytes = ConnectReply.roomBytes
    /// For the bare echo: conformance suites send messages of up to 16 MiB.
    package var echo = WebSocketLimits(
        messageBytes: 16_777_216, frameBytes: 16_777_216, fragmentsPerMessage: 1_048_576)
    package var compression = CompressionOptions()
    package var http = HTTPLimits()
    /// Time for one message, from its first byte to its last.
    package var messageMilliseconds: Int64 = 30_000
    package var session = Session.Limits()
    /// Commands per user, over all WebSocket connections and HTTP requests.
    package var commandsOfUser = TokenBucket.Rate(perSecond: 400, burst: 2_000)
    package var guests = GuestRates.Limits()
    /// Requests without credentials.
    package var strangers = StrangerRates.Limits()
    package var routes = RouteLimits()
    /// What is remembered about requests with an `Idempotency-Key`.
    package var idempotency = AnswerMemory.Limits()
    package var origins = AllowedOrigins()
    /// Unknown fields of commands, over WebSocket and HTTP.
    package var unknownFields = UnknownFields.refuse
    package var proxies = TrustedProxies()
    package var census = ConnectionCensus.Limits()
    package var outbox = Outbox.Limits()
    /// Output that waits to be read.
    package var unread = HeldBytes.Limits(ofUser: 33_554_432, total: 1_073_741_824)
    /// Input that is not finished: request bodies and messages. Per user, and per address of the unauthenticated.
    package var unfinished = HeldBytes.Limits(ofUser: 16_777_216, total: 268_435_456)
    /// Time from accepting a connection to the end of its TLS handshake.
    package var handshakeMilliseconds: Int64 = 10_000
    /// Time for one request, from the first byte awaited to the last.
    package var requestMilliseconds: Int64 = 10_000
    /// Idle time between two requests.
    package var keepAliveMilliseconds: Int64 = 60_000
    /// How long a peer may take to read the last bytes and close.
    package var lingerMilliseconds: Int64 = 2_000
    /// Bytes that a loop decodes, inflates, encodes and passes on per turn, for all its connections together, so that a
    /// turn ends after a millisecond or two. The last message or answer of a turn may exceed it.
    package var turnBytes = 262_144
    /// Connections per loop; the process's file limit may lower it.
    package var connectionsPerLoop = 100_000
    /// Additional admin connections per loop, so that operators can still connect when the loop is full.
    package var adminConnectionsPerLoop = 32

    package init() {}

    /// Limits that apply until the session starts.
    var beforeConnect: WebSocketLimits {
        var limits = webSocket
        limits.messageBytes = max(limits.messageBytes, connectMessageBytes)
        limits.frameBytes = limits.messageBytes
        return limits
    }
}
