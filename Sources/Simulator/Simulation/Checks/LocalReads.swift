/// Finds the reads that nodes of a cluster may answer from what they have, because the writer did not tell in time what
/// the reads must see. What such a connection is told afterwards may be old, too.
struct LocalReads {
    private var nodes: [Int: Int] = [:]
    /// The unanswered reads of each client, and whether they may be answered that way.
    private var pending: [Int: [UInt32: Bool]] = [:]
    /// The same for the backend.
    private var commands: [UInt32: (node: Int, isLocal: Bool)] = [:]
    /// The clients whose connection has had such a read.
    private var clients: Set<Int> = []

    mutating func observe(_ moment: History.Moment) {
        switch moment {
        case .cluster(let moment): observe(moment)
        case .disconnected(let client): (pending[client], _) = (nil, clients.remove(client))
        default: break
        }
    }

    private mutating func observe(_ moment: History.ClusterMoment) {
        switch moment {
        case .clientOpened(let client, let node):
            nodes[client] = node
            pending[client] = nil
            clients.remove(client)
        case .readBegan(let client, let command): pending[client, default: [:]][command] = false
        case .readsLocally(let node):
            for (client, reads) in pending where nodes[client] == node {
                pending[client] = reads.mapValues { _ in true }
            }
            for (number, command) in commands where command.node == node { commands[number]?.isLocal = true }
        case .readAnswered(let client, let command?):
            if pending[client]?.removeValue(forKey: command) ?? false { clients.insert(client) }
        case .backendSent(let number, let node): commands[number] = (node, false)
        default: break
        }
    }

    /// Whether the client uses a cluster.
    func isClustered(_ client: Int) -> Bool { nodes[client] != nil }
    /// Whether the client waits for the answer to this command, and the command is a read.
    func isPending(_ client: Int, _ command: UInt32) -> Bool { pending[client]?[command] != nil }
    /// Whether the client's connection has had such a read.
    func isLocal(_ client: Int) -> Bool { clients.contains(client) }
    /// Whether the backend's query may be answered that way.
    func isLocal(command number: UInt32) -> Bool { commands[number]?.isLocal ?? false }
}
