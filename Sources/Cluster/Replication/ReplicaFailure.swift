/// Why a node must leave the cluster.
package enum ReplicaFailure: Error, Sendable {
    /// The shared log cannot be followed.
    case log(LogStreamError)
    /// A frame does not fit this node's state, or the log has another frame in place of the last one in the journal.
    case diverged
    /// Most nodes, or the writer, announced other events than this one for the same frames.
    case otherEvents
    /// This node's journal has frames that the log does not have.
    case aheadOfLog
    case unreadableFrame(UInt64)
    /// The writer uses a newer record format.
    case newerRecords(version: UInt32)
    /// Another live process is the node of this name.
    case nameTaken
    /// Another node's term began while this one was the writer.
    case deposed
}
