import ChatModel
import WireProtocol

/// What the chat sends to a loop. Deliveries of one post are handled in order, and posts arrive in order: a grant comes
/// before the first event its holder receives, and a loss after the last.
package enum Delivery: Sendable {
    case published(Room, PublishedEvent)
    case gained(UserID, RoomGrant)
    case lost(UserID, Room)
    /// All guests lose the room.
    case guestsLost(Room)
    /// Everyone loses the room.
    case closed(Room)
    /// The user's connections close. (`US2`)
    case disconnected(UserID)
    /// The user's connections with a token issued before this second close.
    case tokensRevoked(UserID, before: Int64)
    /// From now on the user sees messages of the room from this offset only.
    case narrowed(UserID, Room, visibleFrom: UInt64)
    case attached(ConnectionID, command: UInt32, Attachment)
    case subscribed(ConnectionID, command: UInt32, Result<RoomGrant, Rejection>)
    case answered(ConnectionID, command: UInt32, Answer)
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

/// An event on its way to the listeners of a room, encoded once for all loops.
package struct PublishedEvent: Sendable {
    package let event: EncodedEvent
    /// The push in the JSON form, which nearly all clients use. Loops encode the other form themselves.
    package let json: [UInt8]
    /// The same for listeners whose visible history starts after what the event is about; nil if nothing is hidden.
    package let redactedJSON: [UInt8]?
    /// Not stored, and dropped first for a slow consumer.
    package let isTransient: Bool
    /// Nil for events that the app's backend caused, or nobody.
    package let sender: Sender?

    package init(_ event: EncodedEvent, in room: Room, isTransient: Bool = false, sender: Sender? = nil) {
        func json(_ publication: Publication) -> [UInt8] {
            ServerEnvelope.publication(room: room.name, publication).encoded(as: .json)
        }
        self.init(
            event, json: json(event.whole), redactedJSON: event.redacted.map { _ in json(event.withoutHidden) },
            isTransient: isTransient, sender: sender)
    }

    init(_ event: EncodedEvent, json: [UInt8], redactedJSON: [UInt8]?, isTransient: Bool, sender: Sender?) {
        self.event = event
        self.json = json
        self.redactedJSON = redactedJSON
        self.isTransient = isTransient
        self.sender = sender
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
    package let connection: ConnectionID
    /// The command's id on the connection.
    package let command: UInt32
    let guestOrigin: GuestOrigin?
    package let identity: Identity
    package let subscribe: ConnectRequest.Subscribe
    package let positions: [Room: RoomPosition]

    package init(
        connection: ConnectionID, command: UInt32, guestOrigin: GuestOrigin? = nil, identity: Identity,
        subscribe: ConnectRequest.Subscribe, positions: [Room: RoomPosition]
    ) {
        self.connection = connection
        self.command = command
        self.guestOrigin = guestOrigin
        self.identity = identity
        self.subscribe = subscribe
        self.positions = positions
    }

    package var user: UserID { identity.user }
    package var address: ReturnAddress {
        ReturnAddress(connection: connection, command: command, guestOrigin: guestOrigin)
    }
}
