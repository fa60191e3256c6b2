import ChatDomain
import ChatModel

/// Checks that reads of a cluster do not go backwards: whoever connects, subscribes or queries like an HTTP client is told
/// at least what anybody had seen before they asked, whichever node they ask.
struct FreshReadCheck: Check {
    private struct Subscription: Hashable {
        let client: Int
        let room: Room
    }

    /// A message's text from a frame on; `nil` once it is deleted.
    private struct Version {
        let frame: UInt64
        let text: String?
    }

    private let recoversInParts: Bool
    private var book = RoomBook()
    private var reads = LocalReads()
    /// The last frame that a client or the backend has seen.
    private var seen: UInt64 = 0
    /// What unanswered reads must see.
    private var floors: [Int: [UInt32: UInt64]] = [:]
    /// What the reply that a client is reading must show.
    private var current: [Int: UInt64] = [:]
    private var epochs: [Subscription: String] = [:]
    private var versions: [MessageID: [Version]] = [:]
    private var channels: [MessageID: ChannelID] = [:]
    private var offsets: [MessageID: UInt64] = [:]
    private var queries: [UInt32: (message: MessageID, floor: UInt64)] = [:]

    init(recoversInParts: Bool) { self.recoversInParts = recoversInParts }

    mutating func observe(_ moment: History.Moment) throws(Broken) {
        reads.observe(moment)
        switch moment {
        case .began(let frames, _, _): book = try RoomBook(frames)
        case .appended(let frame):
            try book.apply(frame)
            for record in frame.records {
                if case .messageSent(let sent) = record.event { offsets[sent.id] = record.positions.first?.offset }
                apply(record.event, frame.sequence)
            }
        case .cluster(.readBegan(let client, let command)): floors[client, default: [:]][command] = seen
        case .cluster(.readAnswered(let client, let command)):
            current[client] = command.flatMap { floors[client]?.removeValue(forKey: $0) }
        case .subscribed(let client, _, let room, let position, let recovery):
            if !recoversInParts || !recovery.hasSucceeded { try check(room, position, of: client) }
            epochs[Subscription(client: client, room: room)] = position.epoch
            see(position.offset, of: RoomBook.Life(room: room, epoch: position.epoch))
        case .eventReceived(let client, let room, let event):
            guard let epoch = epochs[Subscription(client: client, room: room)] else { return }
            see(event.offset, of: RoomBook.Life(room: room, epoch: epoch))
        case .answered(_, _, .done(let message?)): see(message)
        case .disconnected(let client): (floors[client], current[client]) = (nil, nil)
        case .backendCommanded(let number, let request as GetMessage): queries[number] = (request.messageID, seen)
        case .backendAnswered(let number, let answer):
            guard let query = queries.removeValue(forKey: number), !reads.isLocal(command: number) else { return }
            switch answer {
            case .success(let response):
                if let found = response as? MessageResponse { try check(found.message, query.floor) }
            case .failure(let refusal):
                guard refusal.code == .notFound else { return }
                guard versions[query.message]?.last?.text != nil else { return }
                throw Broken(.freshReads, "the backend does not find \(query.message), which was seen before")
            }
        default: break
        }
    }

    private mutating func apply(_ event: Event, _ frame: UInt64) {
        switch event {
        case .messageSent(let sent):
            versions[sent.id] = [Version(frame: frame, text: sent.text)]
            channels[sent.id] = sent.channel
        case .messageUpdated(let updated): versions[updated.id]?.append(Version(frame: frame, text: updated.text))
        case .messageDeleted(_, let message, _): versions[message]?.append(Version(frame: frame, text: nil))
        case .historyTrimmed(let trimmed):
            for (message, place) in channels where place == trimmed.channel {
                guard let offset = offsets[message], offset <= trimmed.upTo else { continue }
                versions[message]?.append(Version(frame: frame, text: nil))
            }
        case .channelDeleted(let channel):
            for (message, place) in channels where place == channel {
                versions[message]?.append(Version(frame: frame, text: nil))
            }
        default: break
        }
    }

    private mutating func see(_ offset: UInt64, of life: RoomBook.Life) {
        if let entry = book.entry(offset, of: life) { seen = max(seen, entry.sequence) }
    }

    private mutating func see(_ message: Message) {
        if let frame = versions[message.id]?.first?.frame { seen = max(seen, frame) }
    }

    private func check(_ room: Room, _ position: RoomPosition, of client: Int) throws(Broken) {
        guard let floor = current[client], !reads.isLocal(client) else { return }
        let last = book.epochs[room] ?? position.epoch
        let entries = book.entries[RoomBook.Life(room: room, epoch: last)] ?? []
        let count = entries.prefix { $0.sequence <= floor }.count
        guard position.epoch == last ? position.offset >= UInt64(count) : count == 0 else {
            throw Broken(
                .freshReads,
                "client \(client) is told \(room) up to \(position.offset), but \(count) was seen before it asked")
        }
    }

    private func check(_ message: Message, _ floor: UInt64) throws(Broken) {
        guard let versions = versions[message.id] else { return }
        let first = versions.lastIndex { $0.frame <= floor } ?? 0
        let text = message.deletedAt == nil ? message.text : nil
        guard versions[first...].contains(where: { $0.text == text }) else {
            throw Broken(.freshReads, "the backend reads an old text of \(message.id): \(message.text ?? "")")
        }
    }
}

extension History.Recovery {
    fileprivate var hasSucceeded: Bool { if case .recovered = self { true } else { false } }
}
