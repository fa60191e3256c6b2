import ChatDomain
import ChatModel

/// Checks that the chat's reported state matches a naive fold of its frames, and is the same after a restart.
struct StateCheck: Check {
    private var frames: [History.Frame] = []
    /// The last report, and the frame after which it was made.
    private var last: (view: View, frame: Int)?

    mutating func observe(_ moment: History.Moment) throws(Broken) {
        switch moment {
        case .began(let found, _, _):
            frames = found
            if let last, last.frame > found.count { self.last = nil }
        case .appended(let frame): frames.append(frame)
        case .reported(let view):
            try compare(view)
            if let last, last.frame == frames.count, last.view.answers != view.answers {
                // Ignore mutes, because they may expire between two reports.
                let different = zip(last.view.answers, view.answers).first { Self.timeless($0) != Self.timeless($1) }
                guard let (before, now) = different else {
                    self.last = (view, frames.count)
                    break
                }
                throw Broken(
                    .replay,
                    "after frame \(frames.count) the chat reports \(Self.text(now)), earlier \(Self.text(before))")
            }
            last = (view, frames.count)
        default: break
        }
    }

    private static func timeless(_ answer: [UInt8]) -> String {
        String(decoding: answer, as: UTF8.self).replacing(/"muted_until":[0-9]+,?/, with: "")
    }

    private static func text(_ answer: [UInt8]) -> String { String(decoding: answer.prefix(2_000), as: UTF8.self) }

    private func compare(_ view: View) throws(Broken) {
        var ledger = Ledger()
        for frame in frames { for record in frame.records { ledger.apply(record) } }
        guard view.channels.map(\.id) == ledger.channels.keys.sorted() else {
            throw Broken(
                .replay,
                "the channels are \(view.channels.map(\.id)), in the journal \(ledger.channels.keys.sorted())")
        }
        for channel in view.channels {
            guard let expected = ledger.channels[channel.id] else { continue }
            let members = channel.members.map(\.user.id).sorted()
            guard members == expected.members.sorted() else {
                throw Broken(
                    .replay,
                    "the members of \(channel.id) are \(members), in the journal \(expected.members.sorted())")
            }
            guard channel.messages.map(\.id) == expected.messages.map(\.id) else {
                throw Broken(
                    .replay,
                    "\(channel.id) has \(channel.messages.count) messages, in the journal \(expected.messages.count)")
            }
            for (found, expected) in zip(channel.messages, expected.messages) {
                let found = Ledger.Message(found)
                guard found == expected else {
                    throw Broken(.replay, "\(channel.id) contains \(found), in the journal \(expected)")
                }
            }
        }
    }
}

/// A naive fold of records that shares no code with the server's.
struct Ledger {
    struct Message: Equatable {
        let id: MessageID
        let offset: UInt64
        let sender: UserID?
        var clientID: String?
        let parent: MessageID?
        var text: String?
        var isDeleted = false
        /// Users who reacted, in order, by key.
        var reactions: [String: [UserID]] = [:]
    }

    struct Channel {
        var messages: [Message] = []
        var members: Set<UserID> = []
    }

    private(set) var channels: [ChannelID: Channel] = [:]

    mutating func apply(_ record: Record) {
        switch record.event {
        case .channelCreated(let created):
            channels[created.id] = Channel(members: Set([created.creator].compactMap(\.self)))
        case .channelDeleted(let id): channels[id] = nil
        case .memberJoined(let joined): channels[joined.channel]?.members.insert(joined.user)
        case .memberLeft(let id, let user): channels[id]?.members.remove(user)
        case .memberBanned(let banned): channels[banned.channel]?.members.remove(banned.user)
        case .messageSent(let sent):
            channels[sent.channel]?.messages.append(
                Message(
                    id: sent.id, offset: record.positions.first?.offset ?? 0, sender: sent.sender,
                    clientID: sent.clientID, parent: sent.parent, text: sent.text))
        case .messageUpdated(let updated): change(updated.id, in: updated.channel) { $0.text = updated.text }
        case .messageDeleted(let id, let message, _):
            change(message, in: id) { message in
                message.text = nil
                message.clientID = nil
                message.isDeleted = true
                message.reactions = [:]
            }
        case .reactionAdded(let id, let message, let key, let user):
            change(message, in: id) { $0.reactions[key, default: []].append(user) }
        case .reactionRemoved(let id, let message, let key, let user):
            change(message, in: id) { message in
                message.reactions[key]?.removeAll { $0 == user }
                if message.reactions[key]?.isEmpty ?? false { message.reactions[key] = nil }
            }
        default: break
        }
    }

    private mutating func change(_ id: MessageID, in channel: ChannelID, _ body: (inout Message) -> Void) {
        guard let index = channels[channel]?.messages.firstIndex(where: { $0.id == id }) else { return }
        if var message = channels[channel]?.messages[index] {
            body(&message)
            channels[channel]?.messages[index] = message
        }
    }
}

extension Ledger.Message {
    init(_ message: ChatModel.Message) {
        self.init(
            id: message.id, offset: message.offset, sender: message.user?.id, clientID: message.clientID,
            parent: message.parentMessageID, text: message.text, isDeleted: message.deletedAt != nil,
            reactions: Dictionary(
                (message.reactions ?? []).map { ($0.key, $0.userIDs) }, uniquingKeysWith: { first, _ in first }))
    }
}
