/// A beat of a node, for operators.
package struct HeardBeat: Hashable, Sendable, CustomStringConvertible {
    package let term: UInt64
    /// The number of the last message that the node knows.
    package let last: UInt64

    package var description: String { "term \(term), message \(last)" }

    /// Receives the beats of a cluster's nodes until the subscription is released.
    package static func listen(
        on bus: any Bus, _ receive: @escaping @Sendable (HeardBeat) -> Void
    ) -> any BusSubscription {
        bus.serve(ClusterSubjects.beats) { message, _ in
            guard let beat = Beat(message) else { return }
            receive(HeardBeat(term: beat.term, last: beat.last))
        }
    }
}
