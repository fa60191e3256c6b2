import ChatModel
import WireProtocol

/// A message from the chat to a loop. Deliveries arrive in order: a room grant precedes the first event the member
/// receives, and the loss of the room follows the last.
package enum Delivery: Sendable {
    case published(Room, PublishedEvent)
    case gained(UserID, RoomGrant)
    case lost(UserID, Room)
    /// All guests lose access to the room.
    case guestsLost(Room)
    /// All members lose access to the room.
    case closed(Room)
    /// The user's connections must close (`US2`).
    case disconnected(UserID)
    /// The user's connections with a token issued before this second must close.
    case tokensRevoked(UserID, before: Int64)
    /// From now on, the user sees only messages of the room from this offset on.
    case narrowed(UserID, Room, visibleFrom: UInt64)
    case attached(ConnectionID, command: UInt32, Attachment)
    case subscribed(ConnectionID, command: UInt32, Result<RoomGrant, Rejection>)
    case answered(ConnectionID, command: UInt32, Answer)
}

/// The user charged for delivering an event to many listeners.
package struct Sender: Equatable, Sendable {
    package let user: UserID
    /// A guest's network address, if known.
    package let address: String?

    package init(user: UserID, address: String? = nil) {
        self.user = user
        self.address = address
    }
}

/// An event to deliver to the listeners of a room, encoded once for all loops.
package struct PublishedEvent: Sendable {
    package let event: EncodedEvent
    /// The push as JSON, which almost all clients use. Loops encode the Protobuf form themselves.
    package let json: [UInt8]
    /// The push as JSON for listeners whose visible history starts after the event's message; nil if nothing is hidden.
    package let redactedJSON: [UInt8]?
    /// Whether the event is not stored and may be dropped for a slow consumer.
    package let isTransient: Bool
    /// The user who caused the event; nil for events caused by the app's backend or by nobody.
    package let sender: Sender?
    /// The keys are the users who do not receive it; the values are unused. Only for transient events.
    package var hiddenFrom: [UserID: Int64] = [:]

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

/// The result of a command. The requesting loop encodes it.
package typealias Answer = Result<any Encodable & Sendable, Rejection>

/// The data for a new session: its user and the rooms it is automatically subscribed to.
package struct Attachment: Sendable {
    package let user: User
    package let unread: UnreadTotals
    package let emojiHash: String
    package let settings: ClientSettings
    /// The grants, starting with the inbox, then channels by id.
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

/// A session's request to be attached, sent to the chat after its token was accepted.
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
