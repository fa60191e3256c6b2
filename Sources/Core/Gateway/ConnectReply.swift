import ChatModel
import WireProtocol

extension SubscribeResult {
    /// The reply to `subscribe`, with all recovered events.
    ///
    /// - Parameter limit: Bytes of recovered events in JSON form. Beyond this the room is not recovered, and the client
    ///   fetches its history as after a longer absence.
    package init(_ grant: RoomGrant, bytes limit: Int = .max) {
        self.init(position: grant.position)
        switch grant.recovery {
        case .notRequested: break
        case .impossible: wasRecovering = true
        case .recovered(let missed):
            wasRecovering = true
            let encoded = missed.map { $0.publication(visibleFrom: grant.visibleFrom) }
            guard encoded.reduce(0, { $0 + $1.largestSize }) <= limit else { return }
            recovered = true
            publications = encoded
        }
    }
}

/// A new session's rooms and missed events: as many as fit into the connect reply, and the rest as pushes.
package struct ConnectReply {
    /// Limit for rooms and recovered events, which keeps a connect reply below 1 MiB.
    package static let roomBytes = 786_432
    /// Limit for the pushes after the reply: enough for a room that missed a full ring.
    package static let overflowBytes = ring.bytesPerRoom + ring.eventsPerRoom * Publication.wrapperBytes
    private static let ring = RoomRings.Limits()
    /// Limit for what one `subscribe` recovers: a ring, plus the one event that may exceed the ring's bytes.
    package static let subscribeBytes = 2 * overflowBytes
    /// Bytes of a room apart from its name and events.
    private static let bytesPerRoom = 192

    package let subs: [(name: String, result: SubscribeResult)]
    /// Envelopes to write after the reply, in order.
    package let overflow: [ServerEnvelope]

    /// - Parameters:
    ///   - roomBytes: Limit for rooms and recovered events in the reply, in bytes of the JSON form, the larger one.
    ///   - overflowBytes: Limit for the envelopes after the reply. A room whose missed events would exceed it is not
    ///     recovered, and the client fetches its history as after a longer absence.
    package init(grants: [RoomGrant], roomBytes: Int = Self.roomBytes, overflowBytes: Int = Self.overflowBytes) {
        var subs: [(name: String, result: SubscribeResult)] = []
        var overflow: [ServerEnvelope] = []
        var freeOverflow = overflowBytes
        var free = grants.reduce(roomBytes) { $0 - $1.room.name.utf8.count - Self.bytesPerRoom }
        for grant in grants {
            let name = grant.room.name
            switch grant.recovery {
            case .notRequested: subs.append((name, SubscribeResult(position: grant.position)))
            case .impossible: subs.append((name, SubscribeResult(position: grant.position, wasRecovering: true)))
            case .recovered(let missed) where Self.bytes(missed, for: grant) > max(0, free) + freeOverflow:
                subs.append((name, SubscribeResult(position: grant.position, wasRecovering: true)))
            case .recovered(let missed):
                var result = SubscribeResult(position: grant.position, wasRecovering: true, recovered: true)
                var overflows = false
                for event in missed {
                    let publication = event.publication(visibleFrom: grant.visibleFrom)
                    if !overflows, publication.largestSize < free {
                        free -= publication.largestSize
                        result.publications.append(publication)
                        continue
                    }
                    // To keep the order, everything after the first event that does not fit follows the reply, and the
                    // reply's position ends before it.
                    if !overflows { result.position.offset = publication.offset - 1 }
                    overflows = true
                    overflow.append(.publication(room: name, publication))
                    freeOverflow -= publication.largestSize
                }
                subs.append((name, result))
            }
        }
        self.subs = subs
        self.overflow = overflow
    }

    private static func bytes(_ missed: [EncodedEvent], for grant: RoomGrant) -> Int {
        missed.reduce(0) { $0 + $1.publication(visibleFrom: grant.visibleFrom).largestSize }
    }
}
