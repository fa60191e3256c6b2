import Records

/// Chooses the version of the records that this node writes.
///
/// Followers are upgraded first, so for a while some nodes read an older version than others. A version that is in the
/// log is not given up: a node that reads only older ones leaves with `newerRecords`.
extension Replica {
    /// The bus counts as interrupted after this many milliseconds without a message: this node's own beats come back
    /// four times a second.
    static var busGap: Int64 { 1_000 }

    /// The newest version in the log, and the one that this node writes as the writer.
    var recordVersion: UInt32 {
        // A log that names a version which this node does not read has no frames of it yet.
        min(facts.recordVersion, max(RecordCoder.oldestWritten, reader?.recordVersion ?? 0, log?.recordVersion ?? 0))
    }

    /// Writes a newer version once every live node reads it.
    ///
    /// A node that has just started, or did not hear the bus for a moment, waits until it must have heard every live
    /// node.
    func raiseRecordVersion(at now: Int64) {
        guard isLeading, now - busHeard < Self.busGap, now - busSteadySince >= Roster.departure else { return }
        log?.raise(recordVersion: roster.commonRecordVersion(at: now))
    }
}
