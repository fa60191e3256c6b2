import ChatModel
import WireProtocol

/// A kept event that is not yet encoded. Most events read during startup are evicted before a client could recover
/// them.
package protocol UnencodedEvent: AnyObject, Sendable {
    /// The size in bytes that counts towards the limits until the event is encoded.
    var byteCount: Int { get }
}

/// An event of a room, encoded once for its ring and listeners.
package struct EncodedEvent: Sendable {
    /// The event's offset in its room; 0 for events that are not kept.
    package let offset: UInt64
    /// The event as JSON.
    package let data: [UInt8]
    package let redacted: Redacted?
    /// The message whose content the event contains, and the message it quotes. Used to redact the event when they are
    /// deleted; `nil` after that.
    package let message: MessageID?
    package let quoted: MessageID?
    /// The event before encoding, only during startup; `data` is then empty.
    package let unencoded: (any UnencodedEvent)?

    /// The form for members whose visible history starts after the event's message (`CH7`).
    package struct Redacted: Sendable {
        /// Members get this form if they only see messages from a later offset on.
        package let hidesBefore: UInt64
        package let data: [UInt8]

        package init(hidesBefore: UInt64, data: [UInt8]) {
            self.hidesBefore = hidesBefore
            self.data = data
        }
    }

    package init(
        offset: UInt64, data: [UInt8], redacted: Redacted? = nil, message: MessageID? = nil, quoted: MessageID? = nil
    ) {
        self.offset = offset
        self.data = data
        self.redacted = redacted
        self.message = message
        self.quoted = quoted
        unencoded = nil
    }

    package init(offset: UInt64, unencoded: any UnencodedEvent, message: MessageID?, quoted: MessageID?) {
        self.offset = offset
        data = []
        redacted = nil
        self.message = message
        self.quoted = quoted
        self.unencoded = unencoded
    }

    package var byteCount: Int { unencoded?.byteCount ?? data.count + (redacted?.data.count ?? 0) }

    package var whole: Publication { Publication(offset: offset, data: data) }

    /// The redacted form; the whole event if nothing in it is ever hidden.
    package var withoutHidden: Publication { Publication(offset: offset, data: redacted?.data ?? data) }

    /// Returns the form for a member who sees messages from this offset on.
    package func publication(visibleFrom: UInt64) -> Publication {
        guard let redacted, visibleFrom > redacted.hidesBefore else { return whole }
        return withoutHidden
    }
}

/// The part of a kept event that was deleted later.
package enum DeletedPart: Equatable, Sendable {
    /// The message itself, including its quote.
    case message(deletedAt: Int64)
    /// The quoted message.
    case quote
}

/// A connection's subscription to a room. The connection receives every event after `position`.
package struct RoomGrant: Sendable {
    package let room: Room
    package let position: RoomPosition
    package let visibleFrom: UInt64
    /// The number of the grant; the loop returns it when the room has no listener left there.
    package let generation: UInt64
    package let recovery: Recovery

    package enum Recovery: Sendable {
        case notRequested
        /// All missed events up to `position`, oldest first.
        case recovered([EncodedEvent])
        case impossible
    }

    package init(
        room: Room, position: RoomPosition, visibleFrom: UInt64, generation: UInt64, recovery: Recovery
    ) {
        self.room = room
        self.position = position
        self.visibleFrom = visibleFrom
        self.generation = generation
        self.recovery = recovery
    }
}
