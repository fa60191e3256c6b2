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
                // Ignore mutes and bans, because they may expire between two reports.
                let banned = Array("\(ErrorCode.bannedFromApp.rawValue)".utf8)
                let different = zip(last.view.answers, view.answers).first { before, now in
                    before != banned && Self.timeless(before) != Self.timeless(now)
                }
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

    /// Checks that nothing that the chat reports contains a deleted user, or texts that were deleted with them.
    private func checkErased(_ ledger: Ledger, _ view: View) throws(Broken) {
        let gone = ledger.forgotten.map { "\"\($0)\"" } + ledger.erasedTexts.map { "\"\($0)\"" }
        guard !gone.isEmpty else { return }
        for answer in view.answers.map({ String(decoding: $0, as: UTF8.self) }) {
            guard let found = gone.first(where: { answer.contains($0) }) else { continue }
            throw Broken(.erasure, "the chat still reports \(found), which was erased: \(answer.prefix(2_000))")
        }
    }

    private static func timeless(_ answer: [UInt8]) -> String {
        String(decoding: answer, as: UTF8.self).replacing(/"muted_until":[0-9]+,?/, with: "")
    }

    private static func text(_ answer: [UInt8]) -> String { String(decoding: answer.prefix(2_000), as: UTF8.self) }

    private func compare(_ view: View) throws(Broken) {
        var ledger = Ledger()
        for frame in frames { for record in frame.records { ledger.apply(record) } }
        try checkErased(ledger, view)
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
                // A user who is being deleted is replaced part by part.
                let (found, expected) = (ledger.settled(Ledger.Message(found)), ledger.settled(expected))
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
        var sender: UserID?
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
    /// Channels of imports that are not finished.
    private var hidden: [ChannelID: Channel] = [:]
    /// The number of events in each imported channel so far.
    private var importedOffsets: [ChannelID: UInt64] = [:]
    /// The aliases of users who are being deleted.
    private var aliases: [UserID: UserID] = [:]
    private var deletedWithMessages: Set<UserID> = []
    /// Deleted users whom nothing may name: no later user has the id.
    private(set) var forgotten: Set<UserID> = []
    /// The texts that were deleted with their authors.
    private(set) var erasedTexts: Set<String> = []
    private var sentTexts: Set<String> = []
    /// The texts of several messages, of which some may stay: a later user of an id repeats what the earlier one did not
    /// know to be sent.
    private var repeatedTexts: Set<String> = []

    init(of frames: [History.Frame] = []) {
        for frame in frames { for record in frame.records { apply(record) } }
    }

    /// Returns a message with the alias of a sender who is being deleted.
    func settled(_ message: Message) -> Message {
        var message = message
        if let sender = message.sender, let alias = aliases[sender] { message.sender = alias }
        if let sender = message.sender, aliases.values.contains(sender) { message.clientID = nil }
        return message
    }

    mutating func apply(_ record: Record) {
        switch record.event {
        case .userCreated(let created): forgotten.remove(created.id)
        case .userDeleted(let deleted):
            guard let user = deleted.id else { break }
            aliases[user] = deleted.erased.alias
            if deleted.erased.deletesMessages { deletedWithMessages.insert(user) }
        case .userReplaced(let replaced): replaceHidden(replaced)
        case .userForgotten(let user, let alias): forget(user, alias)
        case .historyTrimmed(let trimmed):
            channels[trimmed.channel]?.messages.removeAll { $0.offset <= trimmed.upTo }
        case .importAdded(let added): for record in added.records { applyImported(record) }
        case .importSettled(let settled):
            for opened in settled.opened { channels[opened.channel] = hidden.removeValue(forKey: opened.channel) }
            for id in settled.discarded { hidden[id] = nil }
        case .channelCreated(let created):
            channels[created.id] = Channel(members: Set([created.creator].compactMap(\.self)))
        case .channelDeleted(let id): channels[id] = nil
        case .memberJoined(let joined): channels[joined.channel]?.members.insert(joined.user)
        case .memberLeft(let id, let user): channels[id]?.members.remove(user)
        case .memberBanned(let banned): channels[banned.channel]?.members.remove(banned.user)
        case .messageSent(let sent):
            if !sentTexts.insert(sent.text).inserted {
                repeatedTexts.insert(sent.text)
                erasedTexts.remove(sent.text)
            }
            channels[sent.channel]?.messages.append(
                Message(
                    id: sent.id, offset: record.positions.first?.offset ?? 0, sender: sent.sender,
                    clientID: sent.clientID, parent: sent.parent, text: sent.text))
        case .messageUpdated(let updated): change(updated.id, in: updated.channel) { $0.text = updated.text }
        case .messageDeleted(let id, let message, _):
            if let text = text(ofErased: message, in: id) { noteErased(text) }
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

    /// Nobody is told of what happens in a hidden channel, so one record does all of it.
    private mutating func replaceHidden(_ replaced: Event.UserReplaced) {
        guard var channel = hidden[replaced.channel], let alias = aliases[replaced.user] else { return }
        channel.members.remove(replaced.user)
        for index in channel.messages.indices where channel.messages[index].sender == replaced.user {
            guard (replaced.after + 1...max(replaced.upTo, replaced.after + 1)).contains(channel.messages[index].offset)
            else { continue }
            channel.messages[index].sender = alias
            channel.messages[index].clientID = nil
            guard deletedWithMessages.contains(replaced.user), !channel.messages[index].isDeleted else { continue }
            if let text = channel.messages[index].text { noteErased(text) }
            (channel.messages[index].text, channel.messages[index].isDeleted) = (nil, true)
        }
        hidden[replaced.channel] = channel
    }

    private mutating func forget(_ user: UserID, _ alias: UserID) {
        aliases[user] = nil
        deletedWithMessages.remove(user)
        forgotten.insert(user)
        for id in channels.keys {
            for index in channels[id]?.messages.indices ?? 0..<0 where channels[id]?.messages[index].sender == user {
                channels[id]?.messages[index].sender = alias
                channels[id]?.messages[index].clientID = nil
            }
        }
    }

    private mutating func noteErased(_ text: String) {
        if !repeatedTexts.contains(text) { erasedTexts.insert(text) }
    }

    /// Returns the text of a message whose author is being deleted with their messages.
    private func text(ofErased message: MessageID, in channel: ChannelID) -> String? {
        let message = channels[channel]?.messages.first { $0.id == message }
        guard let message, let sender = message.sender, deletedWithMessages.contains(sender) else { return nil }
        return message.text
    }

    /// Imported records have no positions.
    private mutating func applyImported(_ record: Record) {
        guard case .channel(let id)? = record.event.rooms.first else { return apply(record) }
        if case .channelCreated = record.event { importedOffsets[id] = 0 }
        importedOffsets[id, default: 0] += 1
        let offset = RoomOffset(room: .channel(id), offset: importedOffsets[id] ?? 0)
        swap(&channels, &hidden)
        apply(Record(event: record.event, at: record.at, by: record.by, positions: [offset]))
        swap(&channels, &hidden)
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
