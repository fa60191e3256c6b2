import ChatDomain
import ChatModel
import Gateway
import WireProtocol

/// What a command publishes once it is durable: its effects in order, then its answer.
package struct Outcome: Sendable {
    let effects: [Effect]
    let answer: Pending?
    /// The number of the command's frame; 0 if it wrote none.
    package internal(set) var frame: UInt64 = 0
    /// The time of the frame's records, in milliseconds since 1970.
    var at: Int64 = 0
    /// What the frame changes for the search index.
    var searchChanges: [SearchChange] = []
    /// The last id that the engine generated before it wrote the frame.
    package internal(set) var freshID = MessageID(high: 0, low: 0)
    var debt: PublisherBacklog.Debt?
    /// Who pays for delivering the effects to many; nil for the app's backend and the engine itself.
    var sender: Sender?
    /// The number of the earlier frame, for effects that follow from one.
    var earlierFrame: UInt64?

    /// The other node's command whose outcome this is; `nil` for this node's own.
    package var origin: CommandOrigin? { if case .command(let address, _) = answer { address.origin } else { nil } }

    /// Why the other node's command was refused, encoded for the cluster's log.
    package var refusal: [UInt8]? {
        guard case .command(_, .failure(let refusal)) = answer, origin != nil else { return nil }
        let encoded = refusal.encoded
        return encoded.count <= Self.refusalBytes ? encoded : Rejection(refusal.code).encoded
    }

    /// The answer to a request with an idempotency key, for all nodes of the cluster to keep.
    package var kept: [UInt8]? {
        guard case .command(let address, let answer) = answer else { return nil }
        return address.claim?.encode(answer)
    }

    private static let refusalBytes = 16_384

    /// Whether it is the outcome that has the frame's events.
    var isNumbered: Bool { frame > 0 && earlierFrame == nil }

    /// Whether it ends somebody's sessions or bans somebody.
    var endsAccess: Bool {
        isNumbered
            && effects.contains { effect in
                if case .announce(let announcement) = effect { return announcement.event.type == .memberBanned }
                return effect.endsSessions
            }
    }

    /// Whether publishing it may advance the last fully published frame.
    var advancesProgress: Bool { frame > 0 || earlierFrame != nil }

    /// An answer that waits for the journal.
    enum Pending: Sendable {
        case command(ReturnAddress, Answer)
        case attach(AttachRequest, [RoomStanding], User, UnreadTotals, emojiHash: String, ClientSettings)
        case subscribe(ConnectionID, command: UInt32, SubscribeRequest, Result<RoomStanding, Rejection>)
    }
}

extension Effect {
    /// Whether it closes sessions of a user.
    var endsSessions: Bool {
        switch self {
        case .disconnected, .tokensRevoked: true
        default: false
        }
    }
}
