import ChatModel

/// A channel that an import fills, which nobody sees until the import is finished (`PR3`).
final class HiddenChannel {
    let state: ChannelState
    /// The places of the messages by the hash in their ids (`ImportedID.key`).
    private var places = ShardedDictionary<Int, Int>()

    init(_ state: ChannelState) { self.state = state }

    /// Returns the message with this key, which may have another original id with the same hash.
    func message(_ key: Int) -> StoredMessage? { places[key].map { state.messages[$0] } }

    /// Records the places of the last messages.
    func indexLast(_ ids: [MessageID]) {
        for (id, place) in zip(ids, state.messages.endIndex - ids.count..<state.messages.endIndex) {
            places[ImportedID.key(of: id)] = place
        }
    }

    /// Applies what a line adds. A line that opens nothing and counts nothing needs no offset, but takes one, so that
    /// the order of everything in the channel is the order of the lines.
    func apply(_ record: Record) {
        let offset = state.top + 1
        switch record.event {
        case .memberJoined(let joined): state.addImported(joined, at: record.at, offset: offset)
        case .invited(_, let user, let inviter, let role): state.invite(user, by: inviter, role: role, at: record.at)
        case .memberBanned(let banned): state.ban(banned.user, SanctionList.Entry(banned, record))
        case .memberMuted(let muted): state.mute(muted.user, SanctionList.Entry(muted, record))
        case .channelFrozen: state.setFrozen(true)
        case .channelUpdated(let updated): state.update(updated)
        case .messageSent(let sent):
            state.append(StoredMessage(sent, offset: offset, at: record.at))
            indexLast([sent.id])
        case .messageUpdated(let updated): state.update(updated, at: record.at)
        case .messageDeleted(_, let message, _): _ = state.delete(message, at: record.at)
        case .reactionAdded(_, let message, let key, let user):
            state.react(to: message, key, by: user, offset: offset, at: record.at)
        case .threadUpdated(let updated): state.update(updated)
        case .readMarked(let mark): state.setImportedMark(of: mark.user, upTo: mark.upTo)
        default: return
        }
        state.advance(to: offset)
    }
}
