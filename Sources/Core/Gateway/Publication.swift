import ChatModel
import WireProtocol

/// A kept event that is not encoded yet: during startup, most events are evicted before anyone could recover them.
package protocol UnwordedEvent: AnyObject, Sendable {
    /// Its size for the limits until it is encoded.
    var byteCount: Int { get }
}

/// One event of one room, encoded once.
package struct Publication: Sendable {
    /// 0 for events that are not kept.
    package let offset: UInt64
    /// The JSON of `push.pub`.
    package let bytes: [UInt8]
    package let redacted: Redacted?
    /// The message whose content the event holds, and the one it quotes; used to redact the event once they are
    /// deleted. `nil` after that.
    package let message: MessageID?
    package let quoted: MessageID?
    /// Set only during startup; `bytes` are empty then.
    package let unworded: (any UnwordedEvent)?

    /// The form for members whose visible history starts after what the event is about. (`CH7`)
    package struct Redacted: Sendable {
        /// Members who see messages from a later offset only get this form.
        package let hidesBefore: UInt64
        package let bytes: [UInt8]

        package init(hidesBefore: UInt64, bytes: [UInt8]) {
            self.hidesBefore = hidesBefore
            self.bytes = bytes
        }
    }

    package init(
        offset: UInt64, bytes: [UInt8], redacted: Redacted? = nil, message: MessageID? = nil, quoted: MessageID? = nil
    ) {
        self.offset = offset
        self.bytes = bytes
        self.redacted = redacted
        self.message = message
        self.quoted = quoted
        unworded = nil
    }

    package init(offset: UInt64, unworded: any UnwordedEvent, message: MessageID?, quoted: MessageID?) {
        self.offset = offset
        bytes = []
        redacted = nil
        self.message = message
        self.quoted = quoted
        self.unworded = unworded
    }

    package var byteCount: Int { unworded?.byteCount ?? bytes.count + (redacted?.bytes.count ?? 0) }

    package var whole: EncodedPublication { EncodedPublication(offset: offset, json: bytes) }

    /// The redacted form; the whole event if nothing in it is ever hidden.
    package var withoutHidden: EncodedPublication { EncodedPublication(offset: offset, json: redacted?.bytes ?? bytes) }

    /// The form for a member who sees messages from this offset on.
    package func encoded(visibleFrom: UInt64) -> EncodedPublication {
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
    package let position: StreamPosition
    package let visibleFrom: UInt64
    /// Numbers the grants of this room to this loop; returned when the loop has no listener left in it.
    package let generation: UInt64
    package let recovery: Recovery

    package enum Recovery: Sendable {
        case notAsked
        /// Exactly the missed events, oldest first, up to `position`.
        case recovered([Publication])
        case impossible
    }

    package init(
        room: Room, position: StreamPosition, visibleFrom: UInt64, generation: UInt64, recovery: Recovery
    ) {
        self.room = room
        self.position = position
        self.visibleFrom = visibleFrom
        self.generation = generation
        self.recovery = recovery
    }
}
