import Gateway

/// The subjects of the cluster's bus.
enum ClusterSubjects {
    static let beats = "beats"
    /// Served by the process that has the name.
    static func name(of node: NodeID) -> String { "name.\(node.name)" }
    static func writer(of term: LogTerm) -> String { "writer.\(term.number)" }
    static func handover(to node: NodeID) -> String { "handover.\(node.name).\(node.start)" }
}
