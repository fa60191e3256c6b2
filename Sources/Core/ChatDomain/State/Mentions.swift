import ChatModel

/// The users whom a message mentions (`MS2`).
package enum Mentions: Equatable, Sendable {
    /// Everyone in the channel except the sender.
    case channel
    /// Each user once, in the order in which they were named.
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
