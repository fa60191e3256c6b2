import ChatDomain
import ChatModel

/// Checks that once a revocation is acknowledged to the backend, earlier tokens are not accepted, and connections that
/// use them are closed.
struct RevocationCheck: Check {
    private struct Presented {
        let user: UserID
        let issuedAt: Int64
        /// The acknowledged revocation time when the client presented the token.
        let acknowledged: Int64
    }

    private struct Asked: Hashable {
        let client: Int
        let command: UInt32
    }

    /// Revocation times according to the frames.
    private var revoked: [UserID: Int64] = [:]
    private var acknowledged: [UserID: Int64] = [:]
    /// Deleted users and the seconds before which their tokens are refused, by alias.
    private var erased: [UserID: (user: UserID, before: Int64)] = [:]
    private var presented: [Asked: Presented] = [:]
    /// The last accepted token of each client.
    private var accepted: [Int: Presented] = [:]

    private var reads = LocalReads()

    mutating func observe(_ moment: History.Moment) throws(Broken) {
        reads.observe(moment)
        switch moment {
        case .began(let frames, _, _):
            revoked = [:]
            for frame in frames { apply(frame) }
            for (user, second) in acknowledged where second > revoked[user] ?? 0 {
                throw Broken(
                    .nothingLost,
                    "the revocation of \(user) before \(second) was acknowledged but is in no journal frame")
            }
        case .appended(let frame): apply(frame)
        case .backendAnswered(_, .success(let response as UserResponse)):
            guard let (user, before) = erased[response.user.id] else { return }
            acknowledged[user] = max(acknowledged[user] ?? 0, before)
        case .backendAnswered(_, .success(let response)):
            guard let response = response as? RevokeTokens.Response else { return }
            acknowledged[response.user.id] = max(acknowledged[response.user.id] ?? 0, response.before)
        case .tokenPresented(let client, let command, let user, let issuedAt):
            // A node of a cluster may learn of a revocation a moment later. Only new connections wait for that.
            let mustKnow = !reads.isClustered(client) || reads.isPending(client, command)
            presented[Asked(client: client, command: command)] = Presented(
                user: user, issuedAt: issuedAt, acknowledged: mustKnow ? acknowledged[user] ?? 0 : 0)
        case .tokenAccepted(let client, let command):
            guard let token = presented[Asked(client: client, command: command)] else { return }
            guard token.issuedAt >= token.acknowledged || reads.isLocal(client) else {
                throw Broken(.revocation, "client \(client) connected with a token that had been revoked")
            }
            accepted[client] = token
        case .disconnected(let client):
            accepted[client] = nil
            presented = presented.filter { $0.key.client != client }
        case .quiet:
            for (client, token) in accepted.sorted(by: { $0.key < $1.key })
            where token.issuedAt < revoked[token.user] ?? 0 {
                throw Broken(.revocation, "client \(client) is still connected with a revoked token")
            }
        case .ended:
            accepted = [:]
            presented = [:]
        default: break
        }
    }

    private mutating func apply(_ frame: History.Frame) {
        for record in frame.records {
            switch record.event {
            case .tokensRevoked(let user, let before): revoked[user] = before
            case .userDeleted(let deleted):
                if let user = deleted.id {
                    revoked[user] = max(revoked[user] ?? 0, deleted.erased.before)
                    erased[deleted.erased.alias] = (user, deleted.erased.before)
                }
            default: break
            }
        }
    }
}
