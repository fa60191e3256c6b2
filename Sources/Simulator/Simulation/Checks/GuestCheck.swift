import ChatDomain
import ChatModel

/// Checks that guests are only in public channels and are never operators. They are removed after a long absence but
/// not earlier, and do nothing afterwards.
struct GuestCheck: Check {
    private struct Channel {
        var isPublic: Bool
        var guests: Set<UserID> = []
    }

    /// The time each guest was last seen, according to the frames.
    private var seen: [UserID: Int64] = [:]
    private var channels: [ChannelID: Channel] = [:]

    mutating func observe(_ moment: History.Moment) throws(Broken) {
        switch moment {
        case .began(let frames, _, _):
            (seen, channels) = ([:], [:])
            for frame in frames { try apply(frame) }
        case .appended(let frame): try apply(frame)
        default: break
        }
    }

    private mutating func apply(_ frame: History.Frame) throws(Broken) {
        for record in frame.records { try apply(record) }
        for (id, channel) in channels where !channel.isPublic && !channel.guests.isEmpty {
            throw Broken(.guests, "a guest is in the private channel \(id)")
        }
    }

    private mutating func apply(_ record: Record) throws(Broken) {
        if let guest = record.by, guest.isGuest {
            guard seen[guest] != nil else { throw Broken(.guests, "\(guest) acted but does not exist") }
            seen[guest] = record.at
        }
        switch record.event {
        case .userCreated(let user) where user.id.isGuest: seen[user.id] = record.at
        case .guestSeen(let guest):
            guard seen[guest] != nil else { throw Broken(.guests, "\(guest) was recorded as seen but does not exist") }
            seen[guest] = record.at
        case .guestRemoved(let guest): try remove(guest, at: record.at)
        case .channelCreated(let created):
            channels[created.id] = Channel(isPublic: created.isPublic)
            if created.creator?.isGuest ?? false { throw Broken(.guests, "a guest created \(created.id)") }
        case .channelUpdated(let updated):
            if let isPublic = updated.isPublic { channels[updated.channel]?.isPublic = isPublic }
        case .channelDeleted(let id): channels[id] = nil
        case .memberJoined(let joined) where joined.user.isGuest:
            guard joined.role == .member else { throw Broken(.guests, "a guest is an operator of \(joined.channel)") }
            channels[joined.channel]?.guests.insert(joined.user)
        case .operatorAdded(let id, let user) where user.isGuest:
            throw Broken(.guests, "a guest is an operator of \(id)")
        case .memberLeft(let id, let user): channels[id]?.guests.remove(user)
        case .memberBanned(let banned): channels[banned.channel]?.guests.remove(banned.user)
        default: break
        }
    }

    private mutating func remove(_ guest: UserID, at time: Int64) throws(Broken) {
        guard let last = seen.removeValue(forKey: guest) else {
            throw Broken(.guests, "\(guest) was removed but did not exist")
        }
        guard time - last >= SimulatorOptions.guestAwaySeconds * 1_000 else {
            throw Broken(.guests, "\(guest) was removed only \(time - last) ms after they were last seen")
        }
        if let channel = channels.first(where: { $0.value.guests.contains(guest) }) {
            throw Broken(.guests, "\(guest) was removed but is still in \(channel.key)")
        }
    }
}
