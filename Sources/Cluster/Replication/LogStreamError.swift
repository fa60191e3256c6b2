/// Why a node must stop reading a log.
package enum LogStreamError: Error, Equatable, Sendable {
    case malformed(number: UInt64, LogMessageError)
    /// The log belongs to another cluster or to another incarnation of this one.
    case otherCluster(String)
    /// The first message is not a genesis, or a later one is.
    case misplacedGenesis(number: UInt64)
    /// A message does not contain the digest of the one before: the log was replaced or changed.
    case brokenChain(number: UInt64)
    /// A message does not continue at the frame that follows the last one.
    case wrongFrame(number: UInt64, frame: UInt64)
    /// A term does not follow the one before, or a node other than its writer appended to it.
    case wrongTerm(number: UInt64)
    /// A part does not continue the frame.
    case wrongPart(number: UInt64)
    /// The log begins after the frame that the node needs. The node must copy the missing frames from a peer.
    case missingFrames(first: UInt64)
}
