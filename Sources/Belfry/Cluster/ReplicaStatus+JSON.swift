#if Cluster
import Gateway
import Replication
import WireProtocol

/// `/cluster` of the admin listener. Where `belfry cluster status --json` shows the same, the names are the same.
extension ReplicaStatus {
    /// - Parameters:
    ///   - stream: The name of the log's stream.
    ///   - isReady: Whether clients should use this node.
    ///   - facts: This node's.
    func json(of node: NodeID, in stream: String, isReady: Bool, _ facts: NodeBeat.Facts) -> [UInt8] {
        var writer = JSONWriter(capacity: 1_024)
        writer.object { object in
            object.field("stream", stream)
            object.field("node", node.name)
            object.field("role", "\(role)")
            object.field("term", term)
            if let name = self.writer { object.field("writer", name) }
            object.field("is_ready", isReady)
            object.field("last_message", lastMessage)
            object.field("last_frame", lastFrame)
            object.field("applied_frame", appliedFrame)
            object.field("lag_ms", lag)
            object.field("log_silent_ms", storeSilence)
            object.field("bus_silent_ms", busSilence)
            object.field("version", facts.version)
            object.field("record_version", UInt64(facts.recordVersion))
            object.field("address", facts.address)
            let live = Set(live.map(\.beat.node))
            object.array("nodes", nodes.map { $0.json(isLive: live.contains($0.beat.node)) })
            object.array("problems", problems.map { WireEncoder().encode("\($0)") })
        }
        return writer.bytes
    }
}

extension Roster.Entry {
    /// Another process, as this node has heard it.
    fileprivate func json(isLive: Bool) -> [UInt8] {
        var writer = JSONWriter(capacity: 256)
        writer.object { object in
            object.field("name", beat.node.name)
            object.field("is_live", isLive)
            object.field("role", "\(beat.role)")
            object.field("term", beat.term)
            object.field("last_message", beat.lastMessage)
            object.field("applied_frame", beat.appliedFrame)
            object.field("synced_frame", beat.syncedFrame)
            object.field("clock_difference_ms", clockDifference)
            object.field("version", beat.facts.version)
            object.field("record_version", UInt64(beat.facts.recordVersion))
            object.field("address", beat.facts.address)
        }
        return writer.bytes
    }
}
#endif
