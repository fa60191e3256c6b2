import ChatModel

/// The users mentioned by a message (`MS2`).
package enum Mentions: Equatable, Sendable {
    /// Everyone in the channel except the sender.
    case channel
    /// Distinct users, in the order of the message.
    case users([UserID])

    var type: MentionType {
        switch self {
        case .channel: .channel
        case .users: .users
        }
    }

    var userIDs: [UserID]? {
        switch self {
        case .channel: nil
        case .users(let users): users
        }
    }

    func combine(into hash: inout StableHash) {
        hash.combine(type.rawValue)
        for user in userIDs ?? [] { hash.combine(user.rawValue) }
    }
}
