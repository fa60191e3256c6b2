import ChatDomain
import ChatModel

/// Checks that a sender whose message was acknowledged can read it until it is deleted or the sender can no longer
/// access the channel. In a cluster, a connection must show what was acknowledged to it, or to anybody before it began.
struct ReadingCheck: Check {
    private struct Asked: Hashable {
        let client: Int
        let command: UInt32
    }

    private struct Access: Hashable {
        let channel: ChannelID
        /// The user; nil for all users.
        let user: UserID?
    }

    private var questions: [Asked: (user: UserID, request: any Request)] = [:]
    /// Queries for messages that their sender knew to exist.
    private var justified: Set<Asked> = []
    /// The acknowledged messages, numbered from 0.
    private var acknowledged: [MessageID: (number: Int, client: Int)] = [:]
    /// How many messages were acknowledged when the pending reads of a cluster's clients began, and the latest answered.
    private var began: [Int: [UInt32: Int]] = [:]
    private var visible: [Int: Int] = [:]
    /// The frame of each message that has not been deleted.
    private var frames: [MessageID: UInt64] = [:]
    private var senders: [MessageID: UserID] = [:]
    private var places: [MessageID: (channel: ChannelID, offset: UInt64)] = [:]
    /// The offset of the message that is being applied.
    private var offset: UInt64 = 0
    /// The last frame at which a user lost access to a channel.
    private var losses: [Access: UInt64] = [:]

    private var reads = LocalReads()

    mutating func observe(_ moment: History.Moment) throws(Broken) {
        reads.observe(moment)
        switch moment {
        case .appended(let frame):
            for record in frame.records {
                if case .messageSent = record.event { offset = record.positions.first?.offset ?? 0 }
                apply(record.event, frame.sequence)
            }
        case .asked(let client, let user, let command, let request):
            let asked = Asked(client: client, command: command)
            questions[asked] = (user, request)
            if let get = request as? GetMessage, mustSee(get.messageID, client) { justified.insert(asked) }
        case .cluster(.clientOpened(let client, _)): (began[client], visible[client]) = ([:], nil)
        case .cluster(.readBegan(let client, let command)): began[client]?[command] = acknowledged.count
        case .cluster(.readAnswered(let client, let command?)):
            if let count = began[client]?.removeValue(forKey: command) { visible[client] = count }
        case .answered(let client, let command, let reply):
            let asked = Asked(client: client, command: command)
            guard let question = questions.removeValue(forKey: asked) else { return }
            switch (question.request, reply) {
            case (is SendMessage, .done(let message?)): acknowledge(message.id, client)
            case (let get as GetMessage, .refused(code: 1000)), (let get as GetMessage, .refused(code: 1001)):
                guard justified.contains(asked), !reads.isLocal(client), let frame = frames[get.messageID] else {
                    return
                }
                let loss = max(
                    losses[Access(channel: get.channelID, user: nil)] ?? 0,
                    losses[Access(channel: get.channelID, user: question.user)] ?? 0)
                if loss < frame, senders[get.messageID] == question.user {
                    throw Broken(.answersHold, "\(question.user) cannot read their own message \(get.messageID)")
                }
            default: break
            }
        default: break
        }
    }

    private mutating func acknowledge(_ message: MessageID, _ client: Int) {
        if acknowledged[message] == nil { acknowledged[message] = (acknowledged.count, client) }
    }

    private func mustSee(_ message: MessageID, _ client: Int) -> Bool {
        guard let known = acknowledged[message] else { return false }
        return !reads.isClustered(client) || known.client == client || known.number < visible[client] ?? 0
    }

    private mutating func apply(_ event: Event, _ sequence: UInt64) {
        switch event {
        case .messageSent(let sent):
            frames[sent.id] = sequence
            senders[sent.id] = sent.sender
            places[sent.id] = (sent.channel, offset)
        case .historyTrimmed(let trimmed):
            for (message, place) in places where place.channel == trimmed.channel && place.offset <= trimmed.upTo {
                frames[message] = nil
            }
        case .userDeleted(let deleted):
            // Who comes later under the id has sent nothing.
            for (message, sender) in senders where sender == deleted.id { senders[message] = nil }
        case .messageDeleted(_, let message, _): frames[message] = nil
        case .channelDeleted(let channel): losses[Access(channel: channel, user: nil)] = sequence
        case .memberLeft(let channel, let user): losses[Access(channel: channel, user: user)] = sequence
        case .memberBanned(let banned): losses[Access(channel: banned.channel, user: banned.user)] = sequence
        default: break
        }
    }
}
