import ChatDomain
import ChatModel
import Gateway

/// The other nodes of the cluster, as the engine sees them. Every call comes from the engine's queue and returns at once.
package protocol ClusterPort: AnyObject, Sendable {
    /// Sends a command to the node that decides. Calls come in the order of the serials.
    func relay(_ command: RelayedCommand)

    /// Another term began. Everything relayed before is either in the log or will never be.
    ///
    /// - Parameter commands: What this node still waits for, in the order of the serials; sent again to the new writer.
    func restartRelay(_ commands: [RelayedCommand], in term: UInt64)

    /// Keeps the answer to a request with an idempotency key, which some node received.
    func keep(_ answer: [UInt8])

    /// Nobody waits any longer for commands up to this serial. They need not be sent any more.
    func forgetRelayed(through serial: UInt64)

    /// Whether this node, if it decides, knows that no other one does.
    var isTermCurrent: Bool { get }

    /// Asks the node that decides, possibly this one, for the last frame that it has acknowledged.
    ///
    /// - Parameter done: Called once, on any queue; with `nil` if there is no answer in time.
    func findLastFrame(_ done: @escaping @Sendable (UInt64?) -> Void)

    /// Tells the other nodes of something that is not kept. It may be lost.
    func share(_ news: ClusterNews)

    /// The checksums of what this node has announced.
    var checksums: EventChecksums { get }

    /// Waits until every live node has told its connections of a frame.
    ///
    /// - Parameter done: Called once, on any queue; also if a live node takes so long that it has closed its sessions.
    func whenEverywhere(_ frame: UInt64, _ done: @escaping @Sendable () -> Void)

    /// Tells the other nodes soon how far this node is, because one of them may wait for it.
    func tellProgress()

    /// A user's first connection to this node began, or the last one ended.
    func presenceChanged(_ user: UserID, isConnected: Bool)
}
