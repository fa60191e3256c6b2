import ChatModel

/// Work that a command defers because it would take longer than one turn. The command's event takes effect for everyone
/// at once, and the engine completes the rest in later turns. Pending work is part of the state, so it survives a
/// restart.
extension ChatState {
    /// Guests who leave a channel that became private, per turn; up to this many leave with the command itself.
    package static let guestsLeavingAtOnce = 100

    package var hasFollowUps: Bool { !vacating.isEmpty || files.hasReleased }

    /// The events of the next turn; empty if there is nothing to do.
    package func followUp() -> [Event] {
        if !vacating.isEmpty { return guestsLeaving() }
        return files.hasReleased ? [.filesForgotten(files.nextReleased)] : []
    }

    private func guestsLeaving() -> [Event] {
        guard let id = vacating.min(), let channel = channels[id] else { return [] }
        return channel.members.guests(atMost: Self.guestsLeavingAtOnce).map { .memberLeft(id, $0) }
    }
}
