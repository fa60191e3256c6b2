import ChatModel

/// The encoded size of a record. Only commands that produce very many records are measured.
extension Record {
    /// This many records of any kind fit into a frame: each is below 1 MiB, by the limits of what clients send.
    package static let alwaysFit = 1_000

    /// An upper bound in bytes. Tight where one command produces many such records; the general maximum otherwise.
    package var largestSize: Int {
        let people: [UserID?]
        var text: String?
        switch event {
        case .channelHidden(let hidden): people = [hidden.user]
        case .channelUnhidden(_, let user), .invitationAccepted(_, let user), .memberLeft(_, let user),
            .operatorAdded(_, let user), .operatorRemoved(_, let user), .memberUnbanned(_, let user),
            .memberUnmuted(_, let user), .historyReset(_, let user, _):
            people = [user]
        case .invited(_, let user, let inviter, _), .invitationDeclined(_, let user, let inviter, _),
            .invitationCancelled(_, let user, let inviter, _):
            people = [user, inviter]
        case .memberJoined(let joined): people = [joined.user, joined.invitedBy]
        case .readMarked(let mark): people = [mark.user]
        case .guestSeen(let guest), .guestRemoved(let guest): people = [guest]
        case .reactionAdded(_, _, let key, let user), .reactionRemoved(_, _, let key, let user):
            people = [user]
            text = key
        case .distinctEnded: people = []
        case .memberBanned(let sanctioned), .memberMuted(let sanctioned):
            people = [sanctioned.user]
            text = sanctioned.description
        default: return 1_048_576
        }
        return people.reduce(Self.frameSize + (text?.utf8.count ?? 0)) { $0 + ($1?.rawValue.utf8.count ?? 0) }
            + (by?.rawValue.utf8.count ?? 0)
    }

    /// Time, up to two offsets and marks, the ids of a channel and a message, and the field headers.
    private static let frameSize = 256
}
