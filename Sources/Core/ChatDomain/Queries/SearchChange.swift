import ChatModel
import SearchText

/// What the search index keeps of a message: its words, and what filters compare.
package struct SearchEntry: Hashable, Sendable {
    package let text: String
    package let sender: UserID?
    package let kind: MessageKind
    package let hasFiles: Bool

    package init(text: String, sender: UserID?, kind: MessageKind, hasFiles: Bool) {
        self.text = text
        self.sender = sender
        self.kind = kind
        self.hasFiles = hasFiles
    }

    init(_ message: StoredMessage) {
        self.init(
            text: message.text, sender: message.sender, kind: message.kind,
            hasFiles: Self.hasFiles(message.extras))
    }

    static func hasFiles(_ extras: MessageExtras?) -> Bool { !(extras?.files ?? []).isEmpty }

    /// The sender, the kind, and whether there are files, as words of letters and digits.
    package var facts: [String] {
        var facts = [Self.fact(kind)]
        if let sender { facts.append(Self.fact(sender)) }
        if hasFiles { facts.append(Self.withFiles) }
        return facts
    }

    package static let withFiles = "f"

    package static func fact(_ kind: MessageKind) -> String { "k" + kind.rawValue }

    /// A hash, because ids may contain anything.
    package static func fact(_ user: UserID) -> String {
        var hash = StableHash()
        hash.combine(user.rawValue)
        return "u" + String(hash.value, radix: 36)
    }
}

/// A change of what the search index has to know.
package enum SearchChange: Hashable, Sendable {
    /// A new message, or the new content of an edited one.
    case put(SearchRoom, offset: UInt64, SearchEntry)
    case remove(SearchRoom, offset: UInt64)
    case removeRoom(SearchRoom)
    /// A channel that comes with messages, which have to be read from the chat.
    case readRoom(SearchRoom)

    package var room: SearchRoom {
        switch self {
        case .put(let room, _, _), .remove(let room, _), .removeRoom(let room), .readRoom(let room): room
        }
    }

    /// The memory it holds, in bytes.
    package var size: Int {
        guard case .put(_, _, let entry) = self else { return 200 }
        return 300 + entry.text.utf8.count
    }
}

/// Messages of a channel, read to fill the index.
package struct SearchFill: Sendable {
    /// Ascending by offset. Without deleted messages and those without text.
    package let entries: [(offset: UInt64, entry: SearchEntry)]
    /// The offset from which to read on; nil if the channel has no further messages, or no longer exists.
    package let next: UInt64?
}

extension ChatState {
    /// Adds what a record changes for the search index. Call it before `evolve`.
    package func addSearchChanges(of record: Record, to changes: inout [SearchChange]) {
        switch record.event {
        case .historyTrimmed(let trimmed):
            guard let channel = channels[trimmed.channel] else { return }
            let timeline = Timeline(channel: channel, selection: nil)
            for place in 0..<timeline.firstPlace(afterOffset: trimmed.upTo) {
                changes.append(.remove(channel.searchRoom, offset: timeline.offset(at: place)))
            }
        case .importSettled(let settled):
            for opened in settled.opened {
                guard let channel = imports.channel(opened.channel) else { continue }
                changes.append(.readRoom(channel.state.searchRoom))
            }
        case .userReplaced(let replaced): addSearchChanges(of: replaced, to: &changes)
        default: if let change = searchChange(of: record) { changes.append(change) }
        }
    }

    /// The messages that stay of a deleted user are found under the alias.
    private func addSearchChanges(of replaced: Event.UserReplaced, to changes: inout [SearchChange]) {
        guard let channel = channels[replaced.channel], let alias = users[replaced.user]?.erasure?.alias else { return }
        let messages = channel.messages
        guard let number = messages.number(of: replaced.user) else { return }
        for place in messages.places(after: replaced.after, upTo: replaced.upTo) where messages.indices.contains(place)
        {
            guard messages.isSent(by: number, at: place) else { continue }
            let message = messages[place]
            guard !message.isDeleted, !message.text.isEmpty else { continue }
            let entry = SearchEntry(
                text: message.text, sender: alias, kind: message.kind, hasFiles: SearchEntry.hasFiles(message.extras))
            changes.append(.put(channel.searchRoom, offset: message.offset, entry))
        }
    }

    private func searchChange(of record: Record) -> SearchChange? {
        switch record.event {
        case .messageSent(let sent):
            guard let room = searchRoom(sent.channel), let offset = record.positions.first?.offset else { return nil }
            let entry = SearchEntry(
                text: sent.text, sender: sent.sender, kind: sent.kind, hasFiles: SearchEntry.hasFiles(sent.extras))
            return entry.text.isEmpty ? nil : .put(room, offset: offset, entry)
        case .messageUpdated(let updated):
            guard let room = searchRoom(updated.channel),
                let message = channels[updated.channel]?.message(updated.id)
            else { return nil }
            let entry = SearchEntry(
                text: updated.text, sender: message.sender, kind: message.kind,
                hasFiles: SearchEntry.hasFiles(updated.extras))
            if entry.text.isEmpty { return .remove(room, offset: message.offset) }
            return .put(room, offset: message.offset, entry)
        case .messageDeleted(let id, let message, _):
            guard let room = searchRoom(id), let offset = channels[id]?.message(message)?.offset else { return nil }
            return .remove(room, offset: offset)
        case .channelDeleted(let id): return searchRoom(id).map(SearchChange.removeRoom)
        default: return nil
        }
    }

    /// Every channel that has messages, in the order of the ids.
    package var searchRooms: [SearchRoom] {
        channels.values.filter { !$0.messages.isEmpty }.map(\.searchRoom).sorted()
    }

    /// Reads messages of a channel from an offset on: at most `limit`, and until they have `bytes` of text.
    package func searchFill(of room: SearchRoom, from offset: UInt64, limit: Int, bytes: Int) -> SearchFill {
        guard let channel = channels[room.id], channel.epoch == room.epoch else {
            return SearchFill(entries: [], next: nil)
        }
        let timeline = Timeline(channel: channel, selection: nil)
        let first = timeline.firstPlace(fromOffset: offset)
        var entries: [(offset: UInt64, entry: SearchEntry)] = []
        var size = 0
        var place = first
        while place < timeline.count, place - first < limit, size < bytes {
            let message = timeline.message(at: place)
            if !message.isDeleted, !message.text.isEmpty {
                entries.append((message.offset, SearchEntry(message)))
                size += message.text.utf8.count
            }
            place += 1
        }
        let next = place < timeline.count ? timeline.offset(at: place) : nil
        return SearchFill(entries: entries, next: next)
    }

    private func searchRoom(_ id: ChannelID) -> SearchRoom? { channels[id]?.searchRoom }
}

extension ChannelState {
    var searchRoom: SearchRoom { SearchRoom(id: id, epoch: epoch) }
}
