import ChatDomain
import ChatModel

/// Checks that muted members, users muted in the app and ordinary members of a frozen channel do nothing that others can
/// see, and that banned users do nothing at all, even after a restart (`MS9`, `MO2`).
struct SilenceCheck: Check {
    private struct Channel {
        var isFrozen = false
        var operators: Set<UserID> = []
        /// The ends of mutes, in milliseconds since 1970.
        var mutes: [UserID: Int64] = [:]
    }

    private var channels: [ChannelID: Channel] = [:]
    /// The ends of mutes and bans in the whole app.
    private var mutes: [UserID: Int64] = [:]
    private var bans: [UserID: Int64] = [:]

    mutating func observe(_ moment: History.Moment) throws(Broken) {
        switch moment {
        case .began(let frames, _, _):
            (channels, mutes, bans) = ([:], [:], [:])
            for frame in frames { try apply(frame) }
        case .appended(let frame): try apply(frame)
        default: break
        }
    }

    /// Applies one frame, which is one command. The caller's rights are checked as they were before the frame, because
    /// a command that removes all operators may remove its caller.
    private mutating func apply(_ frame: History.Frame) throws(Broken) {
        for record in frame.records {
            guard let user = record.by else { continue }
            let kind = "\(record.event)".prefix { $0 != "(" }
            if let until = bans[user], until > record.at {
                throw Broken(.silence, "\(user) was banned until \(until), but caused \(kind) at \(record.at)")
            }
            guard let id = record.event.visibleAct(of: user), let channel = channels[id] else { continue }
            if let until = mutes[user], until > record.at {
                throw Broken(.silence, "\(user) was muted until \(until), but caused \(kind) at \(record.at)")
            }
            if let until = channel.mutes[user], until > record.at {
                throw Broken(.silence, "\(user) was muted in \(id) until \(until), but caused \(kind) at \(record.at)")
            }
            if channel.isFrozen, !channel.operators.contains(user) {
                throw Broken(.silence, "\(id) was frozen and \(user) is not an operator, but caused \(kind)")
            }
        }
        for record in frame.records { apply(record.event) }
    }

    private mutating func apply(_ event: Event) {
        switch event {
        case .channelCreated(let created):
            channels[created.id] = Channel()
            if let creator = created.creator, created.creatorRole == .operator {
                channels[created.id]?.operators = [creator]
            }
        case .channelDeleted(let id): channels[id] = nil
        case .channelFrozen(let id): channels[id]?.isFrozen = true
        case .channelUnfrozen(let id): channels[id]?.isFrozen = false
        case .memberJoined(let joined) where joined.role == .operator:
            channels[joined.channel]?.operators.insert(joined.user)
        case .operatorAdded(let id, let user): channels[id]?.operators.insert(user)
        case .operatorRemoved(let id, let user), .memberLeft(let id, let user): channels[id]?.operators.remove(user)
        case .memberBanned(let banned): channels[banned.channel]?.operators.remove(banned.user)
        case .memberMuted(let muted): channels[muted.channel]?.mutes[muted.user] = muted.until
        case .memberUnmuted(let id, let user): channels[id]?.mutes[user] = nil
        case .userMuted(let muted): mutes[muted.user] = muted.until
        case .userUnmuted(let user): mutes[user] = nil
        case .userBanned(let banned): bans[banned.user] = banned.until
        case .userUnbanned(let user): bans[user] = nil
        // Another user may have the id from now on.
        case .userForgotten(let user, _), .guestRemoved(let user): forget(user)
        default: break
        }
    }

    private mutating func forget(_ user: UserID) {
        (mutes[user], bans[user]) = (nil, nil)
        for id in channels.keys { channels[id]?.mutes[user] = nil }
    }
}

extension Event {
    /// Returns the channel in which others can see that the user did this, or `nil` if a silenced member may do it.
    fileprivate func visibleAct(of user: UserID) -> ChannelID? {
        switch self {
        case .messageSent(let sent): sent.channel
        case .messageUpdated(let updated): updated.channel
        case .threadUpdated(let updated): updated.channel
        case .reactionAdded(let id, _, _, _), .reactionRemoved(let id, _, _, _): id
        case .invited(let id, _, _, _): id
        // Joining or accepting an invitation is not an act of a member.
        case .memberJoined(let joined): joined.user == user ? nil : joined.channel
        case .operatorAdded(let id, _), .operatorRemoved(let id, _): id
        case .memberBanned(let sanctioned), .memberMuted(let sanctioned): sanctioned.channel
        case .memberUnbanned(let id, _), .memberUnmuted(let id, _): id
        case .channelUpdated(let updated): updated.channel
        case .metadataSet(let id, _), .metadataDeleted(let id, _): id
        case .channelFrozen(let id), .channelUnfrozen(let id), .channelDeleted(let id): id
        default: nil
        }
    }
}
