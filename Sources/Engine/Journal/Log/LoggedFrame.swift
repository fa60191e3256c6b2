import ChatDomain
import ChatModel

/// The outcome of a command that another node decided, read from the log that all nodes share.
package struct LoggedFrame: Sendable {
    /// For a frame without records, the number of the last one that has some.
    package let number: UInt64
    /// Empty for a command that changed nothing, or was refused.
    package let records: [Record]
    /// The fresh id that its command could use; ids that this node generates later are greater.
    package let freshID: MessageID?
    /// The command's number on this node; `nil` for commands of other nodes.
    package let serial: UInt64?
    /// Why the command was refused, as `ChatEngine` encoded it.
    package let refusal: [UInt8]?
    /// The answer to a request with an idempotency key, for every node to keep.
    package let kept: [UInt8]?

    package init(
        number: UInt64, records: [Record], freshID: MessageID? = nil, serial: UInt64? = nil, refusal: [UInt8]? = nil,
        kept: [UInt8]? = nil
    ) {
        self.number = number
        self.records = records
        self.freshID = freshID
        self.serial = serial
        self.refusal = refusal
        self.kept = kept
    }
}
