import ChatDomain
import ChatModel

/// Once a revocation is acknowledged to the backend, earlier tokens are not accepted, and connections that use
/// them are closed.
struct RevocationCheck: Check {
    private struct Shown {
        let user: UserID
        let issuedAt: Int64
        /// The acknowledged revocation time when the token was presented.
        let told: Int64
    }

    private struct Asked: Hashable {
        let client: Int
        let command: UInt32
    }

    /// According to the frames.
    private var revoked: [UserID: Int64] = [:]
    private var told: [UserID: Int64] = [:]
    private var shown: [Asked: Shown] = [:]
    /// By the last accepted token.
    private var inside: [Int: Shown] = [:]

    mutating func see(_ moment: History.Moment) throws(Broken) {
        switch moment {
        case .began(let frames, _, _):
            revoked = [:]
            for frame in frames { take(frame) }
            for (user, second) in told where second > revoked[user] ?? 0 {
                throw Broken(
                    .nothingLost, "the revocation of \(user) before \(second) was acknowledged and is not there")
            }
        case .appended(let frame): take(frame)
        case .obeyed(_, .success(let response)):
            guard let response = response as? RevokeTokens.Response else { return }
            told[response.user.id] = max(told[response.user.id] ?? 0, response.before)
        case .showed(let client, let command, let user, let issuedAt):
            shown[Asked(client: client, command: command)] = Shown(
                user: user, issuedAt: issuedAt, told: told[user] ?? 0)
        case .cameIn(let client, let command):
            guard let token = shown[Asked(client: client, command: command)] else { return }
            guard token.issuedAt >= token.told else {
                throw Broken(.revocation, "client \(client) comes in with a token that was revoked before")
            }
            inside[client] = token
        case .disconnected(let client):
            inside[client] = nil
            shown = shown.filter { $0.key.client != client }
        case .quiet:
            for (client, token) in inside.sorted(by: { $0.key < $1.key })
            where token.issuedAt < revoked[token.user] ?? 0 {
                throw Broken(.revocation, "client \(client) is still there with a token that was revoked")
            }
        case .ended:
            inside = [:]
            shown = [:]
        default: break
        }
    }

    private mutating func take(_ frame: History.Frame) {
        for record in frame.records {
            if case .tokensRevoked(let user, let before) = record.event { revoked[user] = before }
        }
    }
}
