import ChatModel
import WireProtocol

extension SubscribeResult {
    /// The answer to `subscribe`, with all that was recovered.
    ///
    /// - Parameter limit: Of the recovered events, in bytes of their JSON form. Beyond it the room is not recovered: its
    ///   reader fetches, as after a longer absence.
    package init(_ grant: RoomGrant, bytes limit: Int = .max) {
        self.init(position: grant.position)
        switch grant.recovery {
        case .notAsked: break
        case .impossible: wasRecovering = true
        case .recovered(let missed):
            wasRecovering = true
            let encoded = missed.map { $0.encoded(visibleFrom: grant.visibleFrom) }
            guard encoded.reduce(0, { $0 + $1.json.count }) <= limit else { return }
            recovered = true
            publications = encoded
        }
    }
}

/// What a new session is told of its rooms: as much of the missed events as fits into the reply, the rest as pushes.
package struct ConnectReply {
    /// A connect reply stays below 1 MiB; at most this much of it are rooms and recovered events.
    package static let roomBytes = 786_432
    /// The same for the pushes behind it: enough for a room that has missed as much as one ring holds.
    package static let overflowBytes = 1_048_576
    /// What one `subscribe` recovers at most: a ring, and the one event that may go beyond its bytes.
    package static let subscribeBytes = 2 * overflowBytes
    /// What a room takes beside its name and its events.
    private static let bytesPerRoom = 192

    package let subs: [(name: String, result: SubscribeResult)]
    /// To be written after the reply, in order.
    package let overflow: [ServerEnvelope]

    /// - Parameters:
    ///   - roomBytes: In the JSON form, the larger one: what rooms and recovered events in the reply may come to.
    ///   - overflowBytes: What the envelopes after the reply may come to. A room whose missed events would go beyond it is
    ///     not recovered: its reader fetches, as after a longer absence.
    package init(grants: [RoomGrant], roomBytes: Int = Self.roomBytes, overflowBytes: Int = Self.overflowBytes) {
        var subs: [(name: String, result: SubscribeResult)] = []
        var overflow: [ServerEnvelope] = []
        var freeOverflow = overflowBytes
        var free = grants.reduce(roomBytes) { $0 - $1.room.name.utf8.count - Self.bytesPerRoom }
        for grant in grants {
            let name = grant.room.name
            switch grant.recovery {
            case .notAsked: subs.append((name, SubscribeResult(position: grant.position)))
            case .impossible: subs.append((name, SubscribeResult(position: grant.position, wasRecovering: true)))
            case .recovered(let missed) where Self.bytes(missed, for: grant) > max(0, free) + freeOverflow:
                subs.append((name, SubscribeResult(position: grant.position, wasRecovering: true)))
            case .recovered(let missed):
                var result = SubscribeResult(position: grant.position, wasRecovering: true, recovered: true)
                var overflows = false
                for publication in missed {
                    let encoded = publication.encoded(visibleFrom: grant.visibleFrom)
                    if !overflows, encoded.json.count < free {
                        free -= encoded.json.count + 1  // The comma.
                        result.publications.append(encoded)
                        continue
                    }
                    // Once one does not fit, none after it may overtake it: the reply ends before it.
                    if !overflows { result.position.offset = publication.offset - 1 }
                    overflows = true
                    overflow.append(.publication(room: name, encoded))
                    freeOverflow -= encoded.json.count
                }
                subs.append((name, result))
            }
        }
        self.subs = subs
        self.overflow = overflow
    }

    private static func bytes(_ missed: [Publication], for grant: RoomGrant) -> Int {
        missed.reduce(0) { $0 + $1.encoded(visibleFrom: grant.visibleFrom).json.count }
    }
}
