import LoadReport

/// What one node of the server carries in a run.
struct NodeLoad: Codable, Equatable, Sendable {
    /// Clients that listen.
    var clients = 0
    /// First deliveries of the run's messages to them.
    var deliveries = 0
}

extension [NodeLoad] {
    init(nodes: Int) { self.init(repeating: NodeLoad(), count: nodes) }

    /// Adds a client, which is at the same node as in `Crowd.url(of:)`.
    mutating func add(client number: Int, deliveries: Int) {
        self[number % count].clients += 1
        self[number % count].deliveries += deliveries
    }

    /// Adds the loads of another process's clients.
    mutating func merge(_ other: [NodeLoad]) {
        if count < other.count { self += Self(nodes: other.count - count) }
        for (index, load) in other.enumerated() {
            self[index].clients += load.clients
            self[index].deliveries += load.deliveries
        }
    }

    /// Splits a part of the deliveries in proportion to what each node delivered in all.
    func shares(of part: Int) -> [Double] {
        let total = reduce(0) { $0 + $1.deliveries }
        return map { total > 0 ? Double(part) * Double($0.deliveries) / Double(total) : 0 }
    }

    /// One row per node for a server of several nodes; empty for one.
    ///
    /// - Parameters:
    ///   - deliveries: The deliveries of the measured part.
    ///   - messages: Its messages.
    func figures(_ usage: Usage?, deliveries: Int, messages: Int) -> [Report.Figure] {
        guard count > 1 else { return [] }
        let shares = shares(of: deliveries)
        var figures = enumerated().map { Report.Figure("clients of node \($0 + 1)", Double($1.clients)) }
        guard let usage, usage.seconds > 0 else { return figures }
        figures += shares.enumerated().map { .init("deliveries of node \($0 + 1)", $1 / usage.seconds, "/s") }
        return figures + usage.nodeFigures(per: "delivery", counts: shares)
            + usage.nodeFigures(per: "message", counts: map { _ in Double(messages) })
    }
}
