import ChatModel
import Gateway

/// The protocol a connection currently speaks: HTTP first, then possibly WebSocket.
///
/// Called on the connection's loop only.
protocol ConnectionHandler: AnyObject {
    /// Handles bytes from the peer. Called only while the connection reads.
    func receive(_ bytes: UnsafeRawBufferPointer)
    /// Continues with buffered input after an awaited answer has arrived.
    func resume()
    /// Continues in a later turn, after `postponeInput`.
    func resumePostponed()
    func answered(_ command: UInt32, _ answer: Answer)
    /// When to call `tick`, in milliseconds of the loop's clock.
    var nextDeadline: Int64? { get }
    /// Bytes held from the peer that belong to incomplete input.
    var heldBytes: Int { get }
    /// The party charged for the held bytes; nil for the app's backend and operators.
    var holder: HeldBytes.Holder? { get }
    /// The holder exceeded its limit for unfinished bytes: refuse the unfinished request or message.
    func heldBytesExceeded(_ verdict: HeldBytes.Verdict)
    func tick(now: Int64)
    /// Called when everything written has been sent.
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
