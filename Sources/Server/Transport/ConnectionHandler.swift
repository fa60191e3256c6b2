import ChatModel
import Gateway

/// The protocol a connection currently speaks: HTTP first, then possibly WebSocket.
///
/// Called on the connection's loop only.
protocol ConnectionHandler: AnyObject {
    /// Bytes from the peer, delivered only while the connection reads.
    func receive(_ bytes: UnsafeRawBufferPointer)
    /// Continues with buffered input after an awaited answer.
    func resume()
    /// Continues in a later turn, after `postponeInput`.
    func resumePostponed()
    func answered(_ command: UInt32, _ answer: Answer)
    /// When to call `tick`, in milliseconds of the loop's clock.
    var nextDeadline: Int64? { get }
    /// Bytes from the peer held because what they belong to is incomplete.
    var heldBytes: Int { get }
    /// Who is charged for them; nil for the app's backend and operators.
    var holder: HeldBytes.Holder? { get }
    /// More is held than the holder may leave unfinished: refuse the unfinished request or message.
    func heldBytesExceeded(_ verdict: HeldBytes.Verdict)
    func tick(now: Int64)
    /// Everything written has been sent.
    func outboxDrained()
    var isWebSocket: Bool { get }
    /// The authenticated user, if known.
    var user: UserID? { get }
    /// The server is stopping: close gracefully.
    func drain()
    /// The peer reads too slowly: close, with the reason if it can still be sent.
    func closeSlowConsumer()
}

extension ConnectionHandler {
    func outboxDrained() {}
    func resumePostponed() {}
    func heldBytesExceeded(_ verdict: HeldBytes.Verdict) {}
    var isWebSocket: Bool { true }
}
