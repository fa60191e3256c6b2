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

    /// Asks the node that decides for the last frame that it has acknowledged.
    ///
    /// - Parameter done: Called once, on any queue; with `nil` if there is no answer in time.
    func findLastFrame(_ done: @escaping @Sendable (UInt64?) -> Void)

    /// Tells the other nodes of something that is not kept. It may be lost.
    func share(_ news: ClusterNews)

    /// A user's first connection to this node began, or the last one ended.
    func presenceChanged(_ user: UserID, isConnected: Bool)
}

/// A command on its way to the node that decides.
package struct RelayedCommand: Equatable, Sendable {
    /// The command's number in this process, from 1.
    package let serial: UInt64
    package let method: String
    /// The request in JSON.
    package let request: [UInt8]
    package let caller: Caller
    /// As for `ChatEngine.change`.
    package let admitsNewcomer: Bool
    package let guestOrigin: GuestOrigin?
    /// The request's idempotency key, encoded; `nil` without a key.
    package let claim: [UInt8]?

    /// The greatest size of a request in bytes: twice the largest message that a setting allows.
    package static let sizeLimit = 32 << 20

    package init(
        serial: UInt64, method: String, request: [UInt8], caller: Caller, admitsNewcomer: Bool,
        guestOrigin: GuestOrigin?, claim: [UInt8]? = nil
    ) {
        self.serial = serial
        self.method = method
        self.request = request
        self.caller = caller
        self.admitsNewcomer = admitsNewcomer
        self.guestOrigin = guestOrigin
        self.claim = claim
    }
}

/// What nodes tell each other without the log.
package enum ClusterNews: Hashable, Sendable {
    /// A user's signal, such as typing.
    case signal(method: String, request: [UInt8], Caller)
    /// A message that is not stored (`CH5`).
    case event(TypedEvent, in: Room)
}
