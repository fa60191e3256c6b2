/// The identifier of a connection, never reused within a process.
package struct ConnectionID: Hashable, Sendable, CustomStringConvertible {
    /// The owning loop's number, from 0.
    package let loop: Int
    /// The connection's number on its loop, from 1.
    package let serial: UInt64

    package init(loop: Int, serial: UInt64) {
        self.loop = loop
        self.serial = serial
    }

    /// - Parameter text: The format of `description`, such as `0-1`.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let loop = Int(parts[0]), loop >= 0, let serial = UInt64(parts[1]) else { return nil }
        self.init(loop: loop, serial: serial)
    }

    package var description: String { "\(loop)-\(serial)" }
}

/// The destination of a command's reply.
package struct ReturnAddress: Sendable {
    package enum Recipient: Sendable {
        /// `command` is the command's id on a WebSocket connection, or the request's number on an HTTP connection.
        case connection(ConnectionID, command: UInt32)
        /// Called once on any queue. Used for in-process calls, for responses that are kept even if the connection
        /// closes, and for responses to which the API adds data from outside the chat.
        case handler(@Sendable (Answer) -> Void)
        /// Another node, which answers once it finds the outcome in the cluster's log.
        case node(RemoteCommand)
    }

    package let recipient: Recipient
    /// The network of a guest, or of a caller requesting a guest account; `nil` for others.
    package let guestOrigin: GuestOrigin?
    /// Whether a query must see everything that any node of the cluster acknowledged before. A WebSocket connection
    /// needs that only when it begins: its node never goes back.
    package let readsLatest: Bool
    /// The idempotency key that the answer is kept under, on all nodes of a cluster.
    package let claim: AnswerClaim?

    package init(
        connection: ConnectionID, command: UInt32, guestOrigin: GuestOrigin? = nil, readsLatest: Bool = false
    ) {
        recipient = .connection(connection, command: command)
        self.guestOrigin = guestOrigin
        self.readsLatest = readsLatest
        claim = nil
    }

    package init(
        guestOrigin: GuestOrigin? = nil, claim: AnswerClaim? = nil, _ handler: @escaping @Sendable (Answer) -> Void
    ) {
        self.claim = claim
        recipient = .handler(handler)
        self.guestOrigin = guestOrigin
        readsLatest = true
    }

    package init(_ command: RemoteCommand, guestOrigin: GuestOrigin? = nil, claim: AnswerClaim? = nil) {
        self.claim = claim
        recipient = .node(command)
        self.guestOrigin = guestOrigin
        readsLatest = false
    }

    /// The other node's command that this answers; `nil` for commands of this node.
    package var origin: CommandOrigin? { if case .node(let command) = recipient { command.origin } else { nil } }
}

/// A command that another node sent to this one. It is a class because every reply has room for it.
package final class RemoteCommand: Sendable {
    package let origin: CommandOrigin
    /// The term in which it arrived. In a later one, the other node knows the outcome or sends the command again.
    package let term: UInt64
    /// Called once, on any queue, when the outcome is in the cluster's log.
    package let done: @Sendable (Answer) -> Void
    /// Called instead, on the engine's queue, if the term is over before the command has taken effect.
    package let abandoned: @Sendable () -> Void

    package init(
        _ origin: CommandOrigin, term: UInt64, abandoned: @escaping @Sendable () -> Void = {},
        done: @escaping @Sendable (Answer) -> Void
    ) {
        self.origin = origin
        self.term = term
        self.abandoned = abandoned
        self.done = done
    }
}

/// The idempotency key of a request to a node of a cluster. The answer travels with the command's outcome, so that every
/// node can repeat it.
package final class AnswerClaim: Sendable {
    /// The key and the request, encoded for other nodes.
    package let request: [UInt8]
    /// Encodes both with the answer; `nil` for an answer that is not kept.
    package let encode: @Sendable (Answer) -> [UInt8]?

    package init(request: [UInt8], encode: @escaping @Sendable (Answer) -> [UInt8]?) {
        self.request = request
        self.encode = encode
    }
}
