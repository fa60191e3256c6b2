/// Identifies a connection for its whole life; never reused within a process.
package struct ConnectionID: Hashable, Sendable, CustomStringConvertible {
    /// The loop that owns the connection, from 0.
    package let loop: Int
    /// Number of the connection on its loop, from 1.
    package let serial: UInt64

    package init(loop: Int, serial: UInt64) {
        self.loop = loop
        self.serial = serial
    }

    /// - Parameter text: In the form that `description` gives.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let loop = Int(parts[0]), loop >= 0, let serial = UInt64(parts[1]) else { return nil }
        self.init(loop: loop, serial: serial)
    }

    package var description: String { "\(loop)-\(serial)" }
}

/// Where the answer to a command goes.
package struct ReturnAddress: Sendable {
    package enum Recipient: Sendable {
        /// `command` is the command's id on its WebSocket connection, or the number of the request on its HTTP
        /// connection.
        case connection(ConnectionID, command: UInt32)
        /// A call from inside the process, a request whose answer is kept even if its connection is gone, or an answer
        /// that the API completes with what the chat does not have. Called once, from any queue.
        case handler(@Sendable (Answer) -> Void)
    }

    package let recipient: Recipient
    /// The network of a guest, or of a caller asking for a guest account; `nil` for others.
    package let guestOrigin: GuestOrigin?

    package init(connection: ConnectionID, command: UInt32, guestOrigin: GuestOrigin? = nil) {
        recipient = .connection(connection, command: command)
        self.guestOrigin = guestOrigin
    }

    package init(guestOrigin: GuestOrigin? = nil, _ handler: @escaping @Sendable (Answer) -> Void) {
        recipient = .handler(handler)
        self.guestOrigin = guestOrigin
    }
}

/// A guest's network, as opaque names that are equal for the same block of addresses. The guests of one block share a
/// budget, and their number is limited. A class, because every answer carries it.
package final class GuestOrigin: Sendable {
    /// The block of addresses that belongs to a single party.
    package let block: String
    /// The surrounding network.
    package let network: String

    package init(block: String, network: String) {
        self.block = block
        self.network = network
    }
}
