import ChatModel

/// Work that a command leaves behind when it would take longer than one turn: the command's event makes it so for
/// everyone at once, and the engine carries out the rest in later turns. What is left is part of the state, so a restart
/// continues it.
extension ChatState {
    /// Guests who leave a channel that became private, per turn; if there are no more, the command itself does it.
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
