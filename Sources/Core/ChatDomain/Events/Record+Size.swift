import ChatModel

/// The encoded size of a record, for commands that produce very many of them.
extension Record {
    /// The number of records that always fit into a journal frame, because client limits keep each record below 1 MiB.
    package static let alwaysFit = 1_000

    /// An upper bound of the size in bytes. Tight for records that one command produces in large numbers.
    package var largestSize: Int {
        let people: [UserID?]
        var text: String?
        switch event {
        case .channelHidden(let hidden): people = [hidden.user]
        case .channelUnhidden(_, let user), .invitationAccepted(_, let user), .memberLeft(_, let user),
            .operatorAdded(_, let user), .operatorRemoved(_, let user), .memberUnbanned(_, let user),
            .memberUnmuted(_, let user), .outsiderUnbanned(_, let user), .historyReset(_, let user, _):
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
        case .memberBanned(let sanctioned), .memberMuted(let sanctioned), .outsiderBanned(let sanctioned):
            people = [sanctioned.user]
            text = sanctioned.description
        default: return 1_048_576
        }
        return people.reduce(Self.frameSize + (text?.utf8.count ?? 0)) { $0 + ($1?.rawValue.utf8.count ?? 0) }
            + (by?.rawValue.utf8.count ?? 0)
    }

    /// The bytes of the time, up to two offsets and marks, a channel id, a message id, and field headers.
    private static let frameSize = 256
}
