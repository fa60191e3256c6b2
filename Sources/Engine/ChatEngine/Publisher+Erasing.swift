import ChatDomain
import ChatModel
import Gateway

/// A step of a user's deletion that is durable, for what else stores the user's data (`PR1`).
package enum ErasureStep: Sendable {
    /// The user is `nil` if the chat, as restored from a backup, does not know them.
    case began(UserID?, ErasedUser)
    /// Nothing in the chat names the user any longer, as of this frame.
    case ended(UserID, alias: UserID, frame: UInt64)
}

extension Publisher {
    /// The bytes of events searched before other work gets its turn.
    private static let searchedBytes = 8_388_608

    /// Removes a deleted user from the events kept for recovery, together with all earlier events of the same rooms:
    /// gaps are never silent.
    func forget(_ user: UserID) {
        queue.check()
        forget(named: encoder.encode(user.rawValue), in: rings.rooms[...])
    }

    private func forget(named name: [UInt8], in rooms: ArraySlice<Room>) {
        var rest = rooms
        var searched = 0
        while searched < Self.searchedBytes, let room = rest.popFirst() {
            searched += rings.removeEvents(containing: name, from: room)
        }
        guard !rest.isEmpty else { return }
        queue.async { [rest] in self.forget(named: name, in: rest) }
    }
}
