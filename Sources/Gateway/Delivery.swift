import ChatModel
import WireProtocol

/// What travels from the chat to a loop. Deliveries of one post are handled in order, and posts arrive in order: a
/// grant stands before the first event that its holder hears, a loss behind the last.
package enum Delivery: Sendable {
    case published(Room, PublishedFrame)
    case gained(UserID, RoomGrant)
    case lost(UserID, Room)
    /// Everybody loses the room.
    case closed(Room)
    /// The user's connections end (`US2`).
    case ousted(UserID)
    /// Those that came with a token issued before this second do.
    case tokensRevoked(UserID, before: Int64)
    /// The user sees messages of the room from this offset on only.
    case narrowed(UserID, Room, visibleFrom: UInt64)
    case attached(ReturnAddress, Attachment)
    case subscribed(ReturnAddress, Result<RoomGrant, Rejection>)
    case answered(ReturnAddress, Answer)
}

/// One event as a WebSocket frame that all listeners share who hear the JSON form.
package struct PublishedFrame: Sendable {
    package let bytes: [UInt8]
    /// What the frame is of, for those who hear another form.
    package let publication: Publication
    /// For listeners whose visible history starts later than what the event is about.
    package let redacted: Publication.Redacted?
    /// Not stored, and the first to be dropped for a slow reader.
    package let isTransient: Bool

    package init(
        bytes: [UInt8], of publication: Publication, redacted: Publication.Redacted? = nil, isTransient: Bool = false
    ) {
        self.bytes = bytes
        self.publication = publication
        self.redacted = redacted
        self.isTransient = isTransient
    }
}

/// The result of a command, still to be encoded by the loop that asked.
package typealias Answer = Result<any Encodable & Sendable, Rejection>

/// A session's beginning: who it is and every room it hears by itself.
package struct Attachment: Sendable {
    package let user: User
    package let unread: UnreadTotals
    package let emojiHash: String
    package let settings: ClientSettings
    /// The inbox first, then channels by id.
    package let grants: [RoomGrant]

    package init(
        user: User, unread: UnreadTotals = UnreadTotals(), emojiHash: String,
        settings: ClientSettings = ClientSettings(), grants: [RoomGrant]
    ) {
        self.settings = settings
        self.user = user
        self.unread = unread
        self.emojiHash = emojiHash
        self.grants = grants
    }
}

/// What a session asks the chat for when its token has been accepted.
package struct AttachRequest: Sendable {
    package let address: ReturnAddress
    package let identity: Identity
    package let subscribe: ConnectRequest.Subscribe
    package let positions: [Room: StreamPosition]

    package init(
        address: ReturnAddress, identity: Identity, subscribe: ConnectRequest.Subscribe,
        positions: [Room: StreamPosition]
    ) {
        self.address = address
        self.identity = identity
        self.subscribe = subscribe
        self.positions = positions
    }

    package var user: UserID { identity.user }
}
