import Gateway

/// A message of a cluster's log.
package struct LogMessage: Equatable, Sendable {
    package enum Content: Equatable, Sendable {
        /// The first message of a log names the cluster and the incarnation of its log.
        case genesis(cluster: String)
        /// The writer begins its term.
        case termStart
        /// Whole frames, at least one.
        case batch([LogFrame])
        /// Part of a frame that is larger than a message. The frame takes effect with the last part.
        ///
        /// - Parameter index: From 0.
        case part(LogFrame, index: Int, count: Int)
    }

    /// 0 for the genesis.
    package let term: UInt64
    package let writer: NodeID
    /// The number of the first frame; of the next frame if the message has none.
    package let firstFrame: UInt64
    /// The digest of the message before.
    package let previous: LogDigest
    /// The version of the record format in the frames.
    package let recordVersion: UInt32
    package let content: Content

    package init(
        term: UInt64, writer: NodeID, firstFrame: UInt64, previous: LogDigest, recordVersion: UInt32, content: Content
    ) {
        self.term = term
        self.writer = writer
        self.firstFrame = firstFrame
        self.previous = previous
        self.recordVersion = recordVersion
        self.content = content
    }

    /// The first message of a new log.
    ///
    /// - Parameter firstFrame: The number after the last frame in the journals that the log continues.
    package static func genesis(
        cluster: String, by node: NodeID, firstFrame: UInt64, recordVersion: UInt32
    ) -> LogMessage {
        LogMessage(
            term: 0, writer: node, firstFrame: firstFrame, previous: .none, recordVersion: recordVersion,
            content: .genesis(cluster: cluster))
    }

    /// The greatest size of an encoded message in bytes.
    package static let sizeLimit = 512 << 10
    /// The greatest number of parts of a frame: twice what its payload fills, because each part repeats the frame's tag.
    static let partLimit = 2 * LogFrame.payloadLimit / sizeLimit
    /// The greatest length of a cluster's name in bytes.
    package static let clusterLimit = 128
    /// The greatest term and frame number. Adding the frames of a message cannot overflow.
    static let numberLimit: UInt64 = 1 << 62
}

/// Why bytes are not a message of a log.
package enum LogMessageError: Error, Equatable, Sendable {
    /// Longer than `LogMessage.sizeLimit`.
    case tooLarge(bytes: Int)
    /// Not an encoded `LogMessage` of `replication.proto`.
    case malformed
    /// A kind of message that a newer node wrote.
    case unknownKind
    /// A field is missing or has a value that no node writes.
    case invalid(field: String)
}
