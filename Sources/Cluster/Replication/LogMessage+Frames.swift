import Gateway
import Records

extension LogMessage {
    /// The number of the last frame that the log contains up to this message; 0 if there is none.
    package var lastFrame: UInt64 {
        switch content {
        case .genesis, .termStart: firstFrame - 1
        case .batch(let frames): firstFrame - 1 + UInt64(frames.count(where: \.isNumbered))
        // A part's frame is not complete before the last one.
        case .part(_, let index, let count): index + 1 == count ? firstFrame : firstFrame - 1
        }
    }

    /// The last frame that a node needs this message for; the frame before it if it contains none. A part is needed for the
    /// whole frame.
    package var neededFrame: UInt64 {
        if case .part = content { firstFrame } else { lastFrame }
    }

    /// Whether a node with all frames up to a number can begin to read the log with this message. It cannot begin in the
    /// middle of a frame that it lacks.
    package func follows(_ lastFrame: UInt64) -> Bool {
        if case .part(_, let index, _) = content, index > 0 { return firstFrame <= lastFrame }
        return firstFrame <= lastFrame + 1
    }
}

extension LogMessage {
    /// The first message of a log. The writer raises the record version once it knows that all nodes read a newer one.
    ///
    /// - Parameter lastFrame: The number of the last frame in the journals that the log continues.
    package static func genesis(cluster: String, by node: NodeID, after lastFrame: UInt64) -> LogMessage {
        genesis(cluster: cluster, by: node, firstFrame: lastFrame + 1, recordVersion: RecordCoder.oldestWritten)
    }
}
