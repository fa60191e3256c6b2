/// Hears the beats of a cluster's nodes, for operators.
package enum HeardBeats {
    /// Receives beats until the subscription is released.
    package static func listen(
        on bus: any Bus, _ receive: @escaping @Sendable (NodeBeat) -> Void
    ) -> any BusSubscription {
        bus.serve(ClusterSubjects.beats) { message, _ in
            if let beat = try? NodeBeat(message) { receive(beat) }
        }
    }
}
