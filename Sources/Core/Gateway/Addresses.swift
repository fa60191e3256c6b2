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
package struct ReturnAddress: Hashable, Sendable {
    package let connection: ConnectionID
    /// The command's id on its WebSocket connection, or the number of the request on its HTTP connection; 0 where the
    /// address belongs to a single request.
    package let command: UInt32
    /// The network of a guest, or of a caller asking for a guest account; `nil` for others.
    package let guestOrigin: GuestOrigin?

    package static func == (a: Self, b: Self) -> Bool { a.connection == b.connection && a.command == b.command }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(connection)
        hasher.combine(command)
    }

    package init(connection: ConnectionID, command: UInt32, guestOrigin: GuestOrigin? = nil) {
        self.connection = connection
        self.command = command
        self.guestOrigin = guestOrigin
    }
}

/// A guest's network, as opaque names that are equal for the same block of addresses. All guests of one block share a
/// budget and a limited number of places. A class, because every answer carries it.
package final class GuestOrigin: Sendable {
    /// The block that surely belongs to one party.
    package let own: String
    /// The surrounding network.
    package let network: String

    package init(own: String, network: String) {
        self.own = own
        self.network = network
    }
}
