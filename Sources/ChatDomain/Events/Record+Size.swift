import ChatModel

/// How large a record becomes when it is written down. Only commands that leave very many are measured.
extension Record {
    /// So many records fit into a frame whatever they are: each is below 1 MiB by the limits of what clients send.
    package static let alwaysFit = 1_000

    /// Bytes, at most. Exact enough where one command leaves many such records; as large as anything can be elsewhere.
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

    /// Time, up to two offsets and marks, a channel's and a message's id, and what stands before each.
    private static let frameSize = 256
}
