/// A process of the cluster: the name of its node and a number that distinguishes processes with the same name.
///
/// A restarted node is a new process. It never continues its predecessor's term, and its serials start again.
package struct NodeID: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let name: String
    /// Different in each process, and greater in later ones with the same name, such as the time in microseconds.
    package let start: UInt64

    /// The greatest length of a name in bytes.
    package static let nameLimit = 64

    /// - Returns: Nil if the name is empty or longer than `nameLimit`.
    package init?(name: String, start: UInt64) {
        guard (1...Self.nameLimit).contains(name.utf8.count) else { return nil }
        self.name = name
        self.start = start
    }

    package var description: String { "\(name)#\(start)" }

    package static func < (a: Self, b: Self) -> Bool { (a.name, a.start) < (b.name, b.start) }
}

/// A command that a node of the cluster sent to the one that decides.
package struct CommandOrigin: Hashable, Sendable {
    package let node: NodeID
    /// The command's number in that process, from 1.
    package let serial: UInt64

    package init(node: NodeID, serial: UInt64) {
        self.node = node
        self.serial = serial
    }
}
