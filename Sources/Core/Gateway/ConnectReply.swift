import ChatModel
import WireProtocol

extension SubscribeResult {
    /// Creates the reply to `subscribe`, with all recovered events.
    ///
    /// - Parameter limit: The maximum size of the recovered events in bytes of JSON. Beyond it, the room is not
    ///   recovered, and the client must fetch its history.
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

/// The rooms and missed events of a new session. Events that do not fit into the connect reply follow it as pushes.
package struct ConnectReply {
    /// The byte limit for rooms and recovered events, which keeps the connect reply below 1 MiB.
    package static let roomBytes = 786_432
    /// The byte limit for the pushes after the reply: enough to recover one full ring.
    package static let overflowBytes = ring.bytesPerRoom + ring.eventsPerRoom * Publication.wrapperBytes
    private static let ring = RoomRings.Limits()
    /// The byte limit for the events recovered by one `subscribe`: a full ring, plus one event that alone may exceed
    /// the ring's limit.
    package static let subscribeBytes = 2 * overflowBytes
    /// The bytes of a room's entry, without its name and events.
    private static let bytesPerRoom = 192

    package let subs: [(name: String, result: SubscribeResult)]
    /// The envelopes to write after the reply, in order.
    package let overflow: [ServerEnvelope]

    /// - Parameters:
    ///   - roomBytes: The limit for rooms and recovered events in the reply, in bytes of JSON, the larger of the two
    ///     forms.
    ///   - overflowBytes: The limit for the envelopes after the reply. A room whose missed events would exceed it is
    ///     not recovered, and the client must fetch its history.
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
                    // To keep the order, the first event that does not fit and all later ones follow the reply, and the
                    // reply's position ends before them.
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
