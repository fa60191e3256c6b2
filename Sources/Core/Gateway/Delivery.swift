import ChatModel
import WireProtocol

/// What the chat sends to a loop. Deliveries of one post are handled in order, and posts arrive in order: a grant comes
/// before the first event its holder receives, and a loss after the last.
package enum Delivery: Sendable {
    case published(Room, PublishedFrame)
    case gained(UserID, RoomGrant)
    case lost(UserID, Room)
    /// All guests lose the room.
    case guestsLost(Room)
    /// Everyone loses the room.
    case closed(Room)
    /// The user's connections close. (`US2`)
    case ousted(UserID)
    /// The user's connections with a token issued before this second close.
    case tokensRevoked(UserID, before: Int64)
    /// From now on the user sees messages of the room from this offset only.
    case narrowed(UserID, Room, visibleFrom: UInt64)
    case attached(ReturnAddress, Attachment)
    case subscribed(ReturnAddress, Result<RoomGrant, Rejection>)
    case answered(ReturnAddress, Answer)
}

/// Who pays for delivering an event to many listeners.
package struct Sender: Equatable, Sendable {
    package let user: UserID
    /// A guest's network address, if known.
    package let address: String?

    package init(user: UserID, address: String? = nil) {
        self.user = user
        self.address = address
    }
}

/// One event as a WebSocket frame shared by all listeners that use the JSON form.
package struct PublishedFrame: Sendable {
    package let bytes: [UInt8]
    /// The event itself, for listeners that use another form.
    package let publication: Publication
    /// For listeners whose visible history starts after what the event is about.
    package let redacted: Publication.Redacted?
    /// Not stored, and dropped first for a slow consumer.
    package let isTransient: Bool
    /// Nil for events that the app's backend caused, or nobody.
    package let sender: Sender?

    package init(
        bytes: [UInt8], of publication: Publication, redacted: Publication.Redacted? = nil, isTransient: Bool = false,
        sender: Sender? = nil
    ) {
        self.sender = sender
        self.bytes = bytes
        self.publication = publication
        self.redacted = redacted
        self.isTransient = isTransient
    }
}

/// The result of a command, which the requesting loop encodes.
package typealias Answer = Result<any Encodable & Sendable, Rejection>

/// The start of a session: its user and every room it is subscribed to automatically.
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

/// A session's request to the chat after its token was accepted.
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
