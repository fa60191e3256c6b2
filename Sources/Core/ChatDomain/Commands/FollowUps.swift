import ChatModel

/// Work that commands defer because it takes longer than one turn. The command's event takes effect for everyone
/// immediately; the engine completes the rest in later turns. Pending work is part of the state, so it survives a
/// restart.
extension ChatState {
    /// The maximum number of guests who leave a newly private channel with the command itself; also the number per
    /// later turn.
    package static let guestsLeavingAtOnce = 100

    package var hasFollowUps: Bool { !vacating.isEmpty || files.hasReleased }

    /// Returns the events of the next turn; empty if there is nothing to do.
    package func followUp() -> [Event] {
        if !vacating.isEmpty { return guestsLeaving() }
        return files.hasReleased ? [.filesForgotten(files.nextReleased)] : []
    }

    private func guestsLeaving() -> [Event] {
        guard let id = vacating.min(), let channel = channels[id] else { return [] }
        return channel.members.guests(atMost: Self.guestsLeavingAtOnce).map { .memberLeft(id, $0) }
    }
}
