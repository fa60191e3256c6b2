/// Why a node must leave the cluster.
package enum ReplicaFailure: Error, Sendable {
    /// The shared log cannot be followed.
    case log(LogStreamError)
    /// A frame does not fit this node's state, or the log has another frame in place of the last one in the journal.
    case diverged
    /// Most nodes, or the writer, announced other events than this one for the same frames.
    case otherEvents
    /// This node's journal ends with this frame, which the log does not have.
    case aheadOfLog(frame: UInt64)
    case unreadableFrame(UInt64)
    /// The writer uses a newer record format.
    case newerRecords(version: UInt32)
    /// Another live process is the node of this name.
    case nameTaken
    /// Another node's term began while this one was the writer.
    case deposed
}

extension ReplicaFailure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .log(let error): "log: the log cannot be followed (\(error))"
        case .diverged: "diverged: a change in the log does not fit this node's data"
        case .otherEvents: "otherEvents: this node tells its clients other events than the others"
        case .aheadOfLog(let frame):
            "aheadOfLog: this node's journal ends with frame \(frame), which the log does not have"
        case .unreadableFrame(let frame): "unreadableFrame: frame \(frame) of the log cannot be read"
        case .newerRecords(let version):
            "newerRecords: the log has records of version \(version), which this version of Belfry cannot read"
        case .nameTaken: "nameTaken: another live process has this node's name"
        case .deposed: "deposed: another node took over while this one did not answer"
        }
    }

    /// Whether a new process on the same data can take part. Otherwise the data contradicts the log or the other nodes.
    package var isTemporary: Bool {
        switch self {
        case .diverged, .otherEvents, .aheadOfLog: false
        case .log, .unreadableFrame, .newerRecords, .nameTaken, .deposed: true
        }
    }
}
