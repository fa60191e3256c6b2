/// Messages between the nodes of a cluster that need not be kept: heartbeats, relayed commands, presence.
///
/// A publication may be lost, delayed or doubled. Every call returns at once; callbacks arrive on the bus's own serial queue.
package protocol Bus: AnyObject, Sendable {
    /// Sends a message to all who serve the subject at the moment.
    func publish(_ message: [UInt8], to subject: String)

    /// Receives the messages of a subject. A message sent by `request` comes with a function that sends the reply.
    ///
    /// - Returns: A token; the subscription ends when it is released.
    func serve(
        _ subject: String,
        _ receive: @escaping @Sendable (_ message: [UInt8], _ reply: (@Sendable ([UInt8]) -> Void)?) -> Void
    ) -> BusSubscription

    /// Sends a message and waits for the first reply. Calls `done` exactly once.
    func request(
        _ message: [UInt8], to subject: String, milliseconds: Int,
        _ done: @escaping @Sendable (BusReply) -> Void)
}

package enum BusReply: Equatable, Sendable {
    case reply([UInt8])
    /// Nobody serves the subject. Known at once.
    case nobody
    /// No reply in time.
    case silence
}

/// A subscription that ends when this object is released.
package protocol BusSubscription: AnyObject, Sendable {}
