import ChatModel

extension NaiveChat {
    func list(_ request: ListMessages, _ user: UserID?) throws(Refused) -> Outcome {
        let channel = try entered(request.channelID, user)
        let visible = Array(channel.messages.indices.dropFirst(channel.hidden(from: user)))
        var wantedAfter = 0
        if case .size(let size) = request.next { wantedAfter = size }
        var slice: Slice
        var isLast = true
        let places = visible.filter { matches(channel.messages[$0], request) }
        if let id = request.messageID {
            guard let anchor = visible.first(where: { channel.messages[$0].id == id }) else {
                throw Refused(code: 1000)
            }
            slice = Slice(
                before: places.filter { $0 < anchor }, at: places.filter { $0 == anchor },
                after: places.filter { $0 > anchor })
        } else if let time = request.at {
            func at(_ place: Int) -> Int64 { channel.messages[place].at }
            slice = Slice(
                before: places.filter { at($0) < time }, at: places.filter { at($0) == time },
                after: places.filter { at($0) > time })
        } else {
            var end = places.suffix(skipped).first ?? channel.messages.count
            // Everything before a message that was removed is gone as well.
            if let before { end = channel.index(of: before) ?? 0 }
            slice = Slice(before: places.filter { $0 < end }, at: [], after: places.filter { $0 >= end })
            slice.cut(previous: request.limit ?? 30, next: 0, ties: nil)
            isLast = !slice.hasPrevious
            return told(slice.places, slice, request, channel, user, isLast: isLast)
        }
        if request.inclusive == false { slice.at = [] }
        slice.cut(
            previous: request.previous ?? (request.next == nil ? 30 : 0), next: wantedAfter,
            ties: request.messageID == nil ? { channel.messages[$0].at } : nil)
        return told(slice.places, slice, request, channel, user, isLast: isLast)
    }

    private func told(
        _ places: [Int], _ slice: Slice, _ request: ListMessages, _ channel: NaiveChannel, _ user: UserID?, isLast: Bool
    ) -> Outcome {
        let messages = places.map {
            seen(
                $0, in: channel, by: user, quote: request.includeParent == true, thread: request.includeThread == true,
                reactions: request.includeReactions == true)
        }
        return .messages(
            request.reverse == true ? messages.reversed() : messages, hasPrevious: slice.hasPrevious,
            hasNext: slice.hasNext, isLast: isLast)
    }

    private func matches(_ message: NaiveMessage, _ request: ListMessages) -> Bool {
        if message.deletedAt != nil, request.includeDeleted != true { return false }
        if let kind = request.kind, message.isAdmin != (kind == .admin) { return false }
        if let type = request.customType, message.deletedAt != nil || message.content.customType != type {
            return false
        }
        if let users = request.userIDs {
            guard let sender = message.sender, users.contains(sender) else { return false }
        }
        switch request.replies {
        case .all: return true
        case .onlyReplyToChannel: return message.parent == nil || message.toChannel
        case .none?, nil: return message.parent == nil
        }
    }

    /// Searches all of the user's channels, newest first.
    func search(_ request: SearchMessages, _ user: UserID?) throws(Refused) -> Outcome {
        // The scripts' texts consist of ASCII words.
        func words(of text: String) -> [String] {
            text.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
        }
        let pieces = request.query.split(separator: " ").filter { !words(of: String($0)).isEmpty }
        func matches(_ text: String) -> Bool {
            let found = words(of: text)
            return pieces.allSatisfy { piece in
                let wanted = words(of: String(piece)).joined()
                return found.contains { piece.hasSuffix("*") ? $0.hasPrefix(wanted) : $0 == wanted }
            }
        }
        try refuse(1032, when: request.limit.map { !(1...100).contains($0) } ?? false)
        try refuse(1032, when: pieces.isEmpty)
        var searched: [NaiveChannel] = []
        if let id = request.channelID {
            searched = [try entered(id, user)]
        } else {
            let user = try person(user)
            searched = channels.values.filter { $0.joined[user] != nil }
        }
        var found: [(channel: NaiveChannel, place: Int)] = []
        for channel in searched {
            for place in channel.messages.indices.dropFirst(channel.hidden(from: user)) {
                let message = channel.messages[place]
                if message.deletedAt == nil, matches(message.content.text) { found.append((channel, place)) }
            }
        }
        found.sort { a, b in
            let times = (a.channel.messages[a.place].at, b.channel.messages[b.place].at)
            if times.0 != times.1 { return times.0 > times.1 }
            return a.channel.id != b.channel.id ? a.channel.id > b.channel.id : a.place > b.place
        }
        let page = try page(of: found, request.limit)
        let messages = page.items.map { seen($0.place, in: $0.channel, by: user, thread: true, reactions: true) }
        return .found(messages, isLast: page.isLast)
    }

    func replies(_ request: ListReplies, _ user: UserID?) throws(Refused) -> Outcome {
        let channel = try entered(request.channelID, user)
        guard let parent = channel.index(of: request.parentMessageID) else { throw Refused(code: 1000) }
        try refuse(1022, when: parent < channel.hidden(from: user))
        try refuse(1023, when: channel.messages[parent].deletedAt != nil)
        let places = channel.replies(to: request.parentMessageID).filter { place in
            request.kind.map { channel.messages[place].isAdmin == ($0 == .admin) } ?? true
        }
        var slice: Slice
        if let id = request.messageID {
            guard let anchor = channel.index(of: id), channel.messages[anchor].parent == request.parentMessageID else {
                throw Refused(code: 1000)
            }
            slice = Slice(
                before: places.filter { $0 < anchor }, at: places.filter { $0 == anchor },
                after: places.filter { $0 > anchor })
        } else if let time = request.at {
            func at(_ place: Int) -> Int64 { channel.messages[place].at }
            slice = Slice(
                before: places.filter { at($0) < time }, at: places.filter { at($0) == time },
                after: places.filter { at($0) > time })
        } else if request.previous != nil, request.next == nil {
            slice = Slice(before: places, at: [], after: [])
        } else {
            slice = Slice(before: [], at: [], after: places)
        }
        if request.inclusive == false { slice.at = [] }
        slice.cut(
            previous: request.previous ?? 0, next: request.next ?? (request.previous == nil ? 30 : 0),
            ties: request.at == nil ? nil : { channel.messages[$0].at })
        let replies = slice.places.map {
            seen($0, in: channel, by: user, quote: request.includeParent == true, reactions: true)
        }
        return .replies(
            to: seen(parent, in: channel, by: user, thread: true, reactions: true),
            request.reverse == true ? replies.reversed() : replies, hasPrevious: slice.hasPrevious,
            hasNext: slice.hasNext)
    }
}

/// The messages before, at and after an anchor.
private struct Slice {
    var before: [Int]
    var at: [Int]
    var after: [Int]
    var hasPrevious = false
    var hasNext = false

    init(before: [Int], at: [Int], after: [Int]) {
        self.before = before
        self.at = at
        self.after = after
    }

    var places: [Int] { before + at + after }

    /// Keeps a number of messages on each side, and with `ties` also those with the timestamp of the last one.
    mutating func cut(previous: Int, next: Int, ties: ((Int) -> Int64)?) {
        func kept(_ places: [Int], _ wanted: Int) -> [Int] {
            let first = Array(places.prefix(wanted))
            guard let ties, let edge = first.last else { return first }
            return first + places.dropFirst(wanted).prefix { ties($0) == ties(edge) }
        }
        let older = kept(before.reversed(), previous)
        let newer = kept(after, next)
        hasPrevious = older.count < before.count
        hasNext = newer.count < after.count
        before = older.reversed()
        after = newer
    }
}
