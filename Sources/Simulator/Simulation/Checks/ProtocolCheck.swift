import ChatDomain
import ChatModel

/// Checks that messages to clients follow the protocol, and that every command is eventually answered.
struct ProtocolCheck: Check {
    private var pending: [Int: Set<UInt32>] = [:]
    /// Revocations according to the frames.
    private var revoked: [UserID: Int64] = [:]
    private var removed: Set<UserID> = []
    /// The number of each user's revocations that the backend sent and no frame shows yet. They apply as soon as they are
    /// decided.
    private var revoking: [UserID: Int] = [:]
    /// Users whose deletion the backend has sent, or who were deleted.
    private var deleted: Set<UserID> = []
    /// Users who were banned from the app or disconnected at some time.
    private var sentAway: Set<UserID> = []
    /// When the tokens were issued that were refused for such a revocation.
    private var refusedEarly: [UserID: Int64] = [:]
    /// The tokens that each client has presented on its current connection.
    private var tokens: [Int: [(user: UserID, issuedAt: Int64)]] = [:]

    /// The close codes that a client can get without breaking the protocol: 408 request timeout; 3001 shutdown; 3004
    /// too many connections; 3005 expired; 3008 slow; 3012 no pong; 3502 connected too late.
    private static let allowedCloseCodes: Set = [408, 3001, 3004, 3005, 3008, 3012, 3502]

    mutating func observe(_ moment: History.Moment) throws(Broken) {
        switch moment {
        case .protocolViolated(let client, let problem):
            throw Broken(.protocolFollowed, "client \(client) received \(problem)")
        case .asked(let client, _, let command, _): pending[client, default: []].insert(command)
        case .answered(let client, let command, _):
            guard pending[client]?.remove(command) != nil else {
                throw Broken(
                    .protocolFollowed,
                    "client \(client) received a reply to command \(command), which is not pending")
            }
        case .disconnected(let client):
            pending[client] = nil
            tokens[client] = nil
        case .began(let frames, _, _):
            (revoked, removed, deleted, sentAway, revoking, refusedEarly) = ([:], [], [], [], [:], [:])
            for frame in frames { try apply(frame) }
        case .appended(let frame): try apply(frame)
        case .backendCommanded(_, let request as RevokeTokens): revoking[request.userID, default: 0] += 1
        case .backendCommanded(_, let request as DeleteUser): deleted.insert(request.userID)
        case .tokenPresented(let client, _, let user, let issuedAt):
            tokens[client, default: []].append((user, issuedAt))
        case .line(let client, .closed(code: 3500)):
            let presented = tokens[client] ?? []
            if presented.contains(where: { isInvalid($0.user, $0.issuedAt) || deleted.contains($0.user) }) { return }
            guard let oldest = presented.filter({ revoking[$0.user] != nil }).min(by: { $0.issuedAt < $1.issuedAt })
            else { throw Broken(.protocolFollowed, "client \(client) was disconnected for a valid token") }
            refusedEarly[oldest.user] = max(refusedEarly[oldest.user] ?? 0, oldest.issuedAt)
        case .quiet:
            guard let (client, commands) = pending.filter({ !$0.value.isEmpty }).min(by: { $0.key < $1.key }),
                let first = commands.min()
            else { return }
            throw Broken(.protocolFollowed, "client \(client) never received a reply to command \(first)")
        case .line(let client, .closed(code: 3503))
        where tokens[client]?.contains { deleted.contains($0.user) || sentAway.contains($0.user) } ?? false:
            break
        case .line(let client, .closed(let code)) where !Self.allowedCloseCodes.contains(code):
            throw Broken(
                .protocolFollowed, "client \(client) followed the protocol, but was disconnected with \(code)")
        default: break
        }
    }

    private mutating func apply(_ frame: History.Frame) throws(Broken) {
        for record in frame.records {
            switch record.event {
            case .tokensRevoked(let user, let before):
                revoked[user] = before
                revoking[user] = revoking[user].flatMap { $0 > 1 ? $0 - 1 : nil }
                // A later one may be the reason.
                guard revoking[user] == nil, let issuedAt = refusedEarly.removeValue(forKey: user), issuedAt >= before
                else { continue }
                throw Broken(.protocolFollowed, "a token of \(user) that is as new as the revocation was refused")
            case .userBanned(let ban): sentAway.insert(ban.user)
            case .userDisconnected(let user): sentAway.insert(user)
            case .userDeleted(let erasure): if let user = erasure.id { deleted.insert(user) }
            case .guestRemoved(let user): removed.insert(user)
            default: break
            }
        }
    }

    private func isInvalid(_ user: UserID, _ issuedAt: Int64) -> Bool {
        removed.contains(user) || issuedAt < revoked[user] ?? 0
    }
}
