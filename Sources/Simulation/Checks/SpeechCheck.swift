/// What reaches a client makes sense to it, and nobody waits for an answer for ever.
struct SpeechCheck: Check {
    private var waiting: [Int: Set<UInt32>] = [:]

    /// A request that took too long; a shutdown, a newcomer without space, expired, slow, no pong, connected too late.
    private static let ends: Set = [408, 3001, 3004, 3005, 3008, 3012, 3502]

    mutating func see(_ moment: History.Moment) throws(Broken) {
        switch moment {
        case .misheard(let client, let what): throw Broken(.plainSpeech, "client \(client) receives \(what)")
        case .asked(let client, _, let command, _): waiting[client, default: []].insert(command)
        case .answered(let client, let command, _):
            guard waiting[client]?.remove(command) != nil else {
                throw Broken(.plainSpeech, "client \(client) is answered \(command), which it does not await")
            }
        case .disconnected(let client): waiting[client] = nil
        case .quiet:
            guard let (client, commands) = waiting.filter({ !$0.value.isEmpty }).min(by: { $0.key < $1.key }),
                let first = commands.min()
            else { return }
            throw Broken(.plainSpeech, "client \(client) was never answered \(first)")
        case .line(let client, .closed(let code)) where !Self.ends.contains(code):
            throw Broken(.plainSpeech, "client \(client), which kept to the rules, is sent away with \(code)")
        default: break
        }
    }
}
