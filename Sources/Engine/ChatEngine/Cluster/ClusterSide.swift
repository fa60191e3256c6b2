import ChatModel
import Gateway

/// What the engine of a cluster's node keeps besides the chat. Touched on the engine's queue only.
final class ClusterSide {
    let port: any ClusterPort
    /// Whether this node decides. Otherwise it sends commands to the node that does.
    var isWriter = false
    /// The last term that began here.
    var term: UInt64 = 0
    var relayed: RelayedCommands
    var reads: WaitingReads
    var connections = LocalConnections()
    var isLateScanScheduled = false
    /// Commands of other nodes that arrived while this node did not decide, for the case that it resumes its term.
    var yielded: [(address: ReturnAddress, carryOut: (ChatEngine) -> Void)] = []

    /// Whether reads must first ask the node that decides: another one, or this one does not know whether it still does.
    var mustAsk: Bool { !isWriter || !port.isTermCurrent }

    init(_ port: any ClusterPort, _ limits: RelayedCommands.Limits) {
        self.port = port
        relayed = RelayedCommands(limits)
        reads = WaitingReads(limit: limits.commands)
    }
}

/// The users connected to this node, as the other nodes know them.
struct LocalConnections {
    private var counts: [UserID: Int] = [:]
    /// Attachments that wait for the state or the user that they need.
    private var waiting: [UserID: Int] = [:]
    /// Connections that closed while attachments of their user were waiting, perhaps their own.
    private var closed: [UserID: Int] = [:]

    /// - Returns: Whether it is the user's first connection.
    mutating func add(_ user: UserID) -> Bool {
        counts[user, default: 0] += 1
        return counts[user] == 1
    }

    /// - Returns: Whether it was the user's last connection.
    mutating func remove(_ user: UserID) -> Bool {
        guard let count = counts[user] else { return false }
        counts[user] = count > 1 ? count - 1 : nil
        return count == 1
    }

    mutating func beginAttachment(_ user: UserID) { waiting[user, default: 0] += 1 }

    /// - Returns: The number of closed connections to take into account now.
    mutating func endAttachment(_ user: UserID) -> Int {
        guard let count = waiting[user] else { return 0 }
        waiting[user] = count > 1 ? count - 1 : nil
        return count > 1 ? 0 : closed.removeValue(forKey: user) ?? 0
    }

    /// Records a closed connection that may not be counted yet.
    ///
    /// - Returns: False if nothing is waiting, so that it can be taken into account at once.
    mutating func postpone(_ user: UserID) -> Bool {
        guard waiting[user] != nil else { return false }
        closed[user, default: 0] += 1
        return true
    }
}
