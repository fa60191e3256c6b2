import ChatDomain
import ChatModel
import Gateway
import WireProtocol

/// What becomes known once a command is durable: its effects in order, then its answer.
package struct Outcome: Sendable {
    let effects: [Effect]
    let answer: Pending?

    /// An answer that still waits for the journal.
    enum Pending: Sendable {
        case command(ReturnAddress, Answer)
        case attach(AttachRequest, [RoomStanding], User, UnreadTotals, emojiHash: String, ClientSettings)
        case subscribe(ReturnAddress, SubscribeRequest, Result<RoomStanding, Rejection>)
    }
}
