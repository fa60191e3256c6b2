/// Names a connection for its whole life; never reused within a process.
package struct ConnectionID: Hashable, Sendable, CustomStringConvertible {
    /// The loop that owns the connection, from 0.
    package let loop: Int
    /// Counts the loop's connections, from 1.
    package let serial: UInt64

    package init(loop: Int, serial: UInt64) {
        self.loop = loop
        self.serial = serial
    }

    /// - Parameter text: As `description` writes it.
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
    /// The command's id on its connection; 0 for the request of an HTTP connection.
    package let command: UInt32
    /// Where a guest comes from, or somebody who is to become one; `nil` for others.
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

/// Where a guest comes from, as opaque names: equal for those of the same block of addresses. All guests of one share a
/// budget, and a part of the places. A class, for every answer carries it.
package final class GuestOrigin: Sendable {
    /// What one party certainly holds.
    package let own: String
    /// The network around it.
    package let network: String

    package init(own: String, network: String) {
        self.own = own
        self.network = network
    }
}
