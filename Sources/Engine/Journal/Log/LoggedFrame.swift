import ChatDomain
import ChatModel

/// A frame that another node decided, read from the log that all nodes share.
package struct LoggedFrame: Sendable {
    package let number: UInt64
    package let records: [Record]
    /// The fresh id that its command could use; ids that this node generates later are greater.
    package let freshID: MessageID?

    package init(number: UInt64, records: [Record], freshID: MessageID? = nil) {
        self.number = number
        self.records = records
        self.freshID = freshID
    }
}
