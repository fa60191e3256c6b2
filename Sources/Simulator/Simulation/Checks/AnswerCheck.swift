import ChatDomain
import ChatModel

/// Checks that acknowledged commands survive every restart. A sent message keeps its id, offset and text, and exists
/// once however often it was sent; an acknowledged change is in the journal.
struct AnswerCheck: Check {
    private struct Question {
        let user: UserID
        let request: any Request
    }

    private struct Asked: Hashable {
        let client: Int
        let command: UInt32
    }

    private struct Sent {
        let message: Message
        let request: SendMessage
        let user: UserID
    }

    private var index = FrameIndex()
    private var durable: UInt64 = 0
    /// The last durable frame when the server wrote the bytes that a client is reading.
    private var sentAt: [Int: UInt64] = [:]
    private var questions: [Asked: Question] = [:]
    private var sent: [Sent] = []
    private var changed: [FrameIndex.Change] = []

    mutating func observe(_ moment: History.Moment) throws(Broken) {
        switch moment {
        case .began(let frames, _, _):
            index = try FrameIndex(frames)
            durable = UInt64(frames.count)
            sentAt = [:]
            for sent in sent { try checkHolds(sent, durable) }
            for change in changed { try checkHolds(change, durable) }
        case .appended(let frame): try index.apply(frame)
        case .synced(let sequence): durable = sequence
        case .asked(let client, let user, let command, let request):
            questions[Asked(client: client, command: command)] = Question(user: user, request: request)
        case .answered(let client, let command, .done(let message)):
            guard let question = questions.removeValue(forKey: Asked(client: client, command: command)) else {
                throw Broken(.answersHold, "client \(client) received a reply to a command that it did not send")
            }
            try checkAnswer(question, message, min(durable, sentAt[client] ?? durable))
        case .answered(let client, let command, .refused): questions[Asked(client: client, command: command)] = nil
        case .inputSent(let client, let frame): sentAt[client] = frame
        case .startFailed, .refused, .failed, .compacted, .compactionFailed, .erased, .subscribed, .eventReceived,
            .unsubscribed,
            .disconnected, .line, .protocolViolated, .quiet, .reported, .ended, .foundDamaged, .backendCommanded,
            .backendAnswered, .tokenPresented, .tokenAccepted, .cluster:
            break
        }
    }

    private mutating func checkAnswer(_ question: Question, _ message: Message?, _ durable: UInt64) throws(Broken) {
        let change: FrameIndex.Change
        switch question.request {
        case let request as SendMessage:
            guard let message else { throw Broken(.answersHold, "the reply to a send has no message") }
            sent.append(Sent(message: message, request: request, user: question.user))
            return try checkHolds(sent[sent.count - 1], durable)
        case is GetMessage: return try checkIsDurable(message, durable)
        case let request as UpdateMessage: change = .updated(request.messageID, text: request.text ?? "")
        case let request as DeleteMessage: change = .deleted(request.messageID)
        case let request as AddReaction: change = .reacted(request.messageID, request.key, question.user)
        default: return
        }
        changed.append(change)
        try checkHolds(change, durable)
    }

    /// A query must not reveal anything that a crash could undo.
    private func checkIsDurable(_ message: Message?, _ durable: UInt64) throws(Broken) {
        guard let message, let place = index.messages[message.id] else {
            throw Broken(.nothingLost, "a query returned a message that does not exist")
        }
        var latest = place.sequence
        if message.updatedAt != nil, let text = message.text {
            latest = max(latest, index.changes[.updated(message.id, text: text)] ?? .max)
        }
        if message.deletedAt != nil { latest = max(latest, index.changes[.deleted(message.id)] ?? .max) }
        guard latest <= durable else { throw Broken(.durableFirst, "\(message.id) was returned before it was durable") }
    }

    private func checkHolds(_ sent: Sent, _ durable: UInt64) throws(Broken) {
        let clientID = sent.request.clientID ?? ""
        guard let place = index.messages[sent.message.id] else {
            throw Broken(.nothingLost, "message \(clientID) was acknowledged but no longer exists")
        }
        guard place.sequence <= durable else {
            throw Broken(.durableFirst, "message \(clientID) was acknowledged before it was durable")
        }
        let found = place.message
        guard place.offset == sent.message.offset, found.text == sent.request.text, found.sender == sent.user,
            found.clientID == sent.request.clientID, found.channel == sent.request.channelID
        else { throw Broken(.answersHold, "message \(clientID) differs from what was acknowledged") }
    }

    private func checkHolds(_ change: FrameIndex.Change, _ durable: UInt64) throws(Broken) {
        guard let sequence = index.changes[change] else {
            throw Broken(.nothingLost, "\(change) was acknowledged but is in no journal frame")
        }
        guard sequence <= durable else {
            throw Broken(.durableFirst, "\(change) was acknowledged before it was durable")
        }
    }
}

/// Finds messages and changes to them in the frames.
private struct FrameIndex {
    enum Change: Hashable {
        case updated(MessageID, text: String)
        case deleted(MessageID)
        case reacted(MessageID, String, UserID)
    }

    struct Place {
        let sequence: UInt64
        let offset: UInt64
        let message: Event.MessageSent
    }

    private struct Name: Hashable {
        let channel: ChannelID
        let epoch: String
        let user: UserID?
        let clientID: String
    }

    private(set) var messages: [MessageID: Place] = [:]
    /// The first frame of each change.
    private(set) var changes: [Change: UInt64] = [:]
    private var names: [Name: MessageID] = [:]
    private var epochs: [ChannelID: String] = [:]

    init() {}

    init(_ frames: [History.Frame]) throws(Broken) {
        for frame in frames { try apply(frame) }
    }

    mutating func apply(_ frame: History.Frame) throws(Broken) {
        for record in frame.records {
            switch record.event {
            // A later user of the id is another one.
            case .userDeleted(let deleted): names = names.filter { $0.key.user != deleted.id }
            case .channelCreated(let created): epochs[created.id] = created.epoch
            case .messageSent(let sent):
                messages[sent.id] = Place(
                    sequence: frame.sequence, offset: record.positions.first?.offset ?? 0, message: sent)
                try recordName(of: sent)
            case .messageUpdated(let updated): addChange(.updated(updated.id, text: updated.text), frame)
            case .messageDeleted(_, let message, _): addChange(.deleted(message), frame)
            case .reactionAdded(_, let message, let key, let user): addChange(.reacted(message, key, user), frame)
            default: break
            }
        }
    }

    private mutating func addChange(_ change: Change, _ frame: History.Frame) {
        if changes[change] == nil { changes[change] = frame.sequence }
    }

    private mutating func recordName(of sent: Event.MessageSent) throws(Broken) {
        guard let clientID = sent.clientID else { return }
        let name = Name(
            channel: sent.channel, epoch: epochs[sent.channel] ?? "", user: sent.sender, clientID: clientID)
        guard names.updateValue(sent.id, forKey: name) == nil else {
            throw Broken(.onceOnly, "message \(clientID) of \(sent.sender?.rawValue ?? "") exists twice")
        }
    }
}
