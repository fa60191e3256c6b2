import ChatDomain
import ChatModel
import Gateway
import WireProtocol

/// What becomes known once a command is durable: its effects in order, then its answer.
package struct Outcome: Sendable {
    let effects: [Effect]
    let answer: Pending?
    /// The number of the command's frame; 0 where it left none.
    var frame: UInt64 = 0
    var debt: PublisherBacklog.Debt?
    /// For what follows from a frame of before: its number.
    var earlierFrame: UInt64?

    /// Whether more frames may have been told when it has been.
    var movesOn: Bool { frame > 0 || earlierFrame != nil }

    /// An answer that still waits for the journal.
    enum Pending: Sendable {
        case command(ReturnAddress, Answer)
        case attach(AttachRequest, [RoomStanding], User, UnreadTotals, emojiHash: String, ClientSettings)
        case subscribe(ReturnAddress, SubscribeRequest, Result<RoomStanding, Rejection>)
    }
}
