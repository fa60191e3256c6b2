import ChatModel

/// Checks that at rest every node of a cluster shows exactly those as online who are connected to some node.
struct PresenceCheck: Check {
    private var users: [Int: UserID] = [:]
    private var connected: Set<Int> = []

    mutating func observe(_ moment: History.Moment) throws(Broken) {
        switch moment {
        case .tokenPresented(let client, _, let user, _): users[client] = user
        case .tokenAccepted(let client, _): connected.insert(client)
        case .disconnected(let client): connected.remove(client)
        case .cluster(.presence(let node, let members)):
            let online = Set(connected.compactMap { users[$0] })
            for member in members where member.isOnline != online.contains(member.user) {
                throw Broken(
                    .presence,
                    "node \(node) shows \(member.user) as \(member.isOnline ? "online" : "offline"), which is wrong")
            }
        default: break
        }
    }
}
