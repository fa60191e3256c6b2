/// A bound that keeps out what other nodes send.
package enum ClusterBound: String, CaseIterable, Sendable {
    /// Users of more processes than are remembered.
    case presence
    /// Commands of more processes than a term admits.
    case origins
    /// More commands of one node than may wait here. It sends them again.
    case commands
}
