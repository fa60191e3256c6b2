import ChatModel
import WireProtocol

/// A kept event that is not encoded yet: during startup, most events are evicted before anyone could recover them.
package protocol UnencodedEvent: AnyObject, Sendable {
    /// Its size for the limits until it is encoded.
    var byteCount: Int { get }
}

/// One event of one room, encoded once: what its ring keeps and its listeners get.
package struct EncodedEvent: Sendable {
    /// 0 for events that are not kept.
    package let offset: UInt64
    /// JSON of the event.
    package let data: [UInt8]
    package let redacted: Redacted?
    /// The message whose content the event holds, and the one it quotes; used to redact the event once they are
    /// deleted. `nil` after that.
    package let message: MessageID?
    package let quoted: MessageID?
    /// Set only during startup; `data` is empty then.
    package let unencoded: (any UnencodedEvent)?

    /// The form for members whose visible history starts after what the event is about. (`CH7`)
    package struct Redacted: Sendable {
        /// Members who see messages from a later offset only get this form.
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

    /// The form for a member who sees messages from this offset on.
    package func publication(visibleFrom: UInt64) -> Publication {
        guard let redacted, visibleFrom > redacted.hidesBefore else { return whole }
        return withoutHidden
    }
}

/// The part of a kept event that was deleted later.
package enum DeletedPart: Equatable, Sendable {
    /// The message itself, with all that it quotes.
    case message(deletedAt: Int64)
    /// The message that it quotes.
    case quote
}

/// A subscription to a room, granted to a connection: it receives every event after `position`.
package struct RoomGrant: Sendable {
    package let room: Room
    package let position: RoomPosition
    package let visibleFrom: UInt64
    /// Numbers the grants of this room to this loop; returned when the loop has no listener left in it.
    package let generation: UInt64
    package let recovery: Recovery

    package enum Recovery: Sendable {
        case notRequested
        /// Exactly the missed events, oldest first, up to `position`.
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
