import ChatModel

// Messages that end, and retention.

extension NaiveChat {
    mutating func setRetention(_ request: SetRetention) throws(Refused) -> Outcome {
        guard var channel = channels[request.channelID] else { throw Refused(code: 1000) }
        try refuse(1032, when: [request.maxAgeSeconds, request.maxMessages].contains { $0.map { $0 < 0 } ?? false })
        try checkKeeps(channel)
        channel.keptSeconds = request.maxAgeSeconds == 0 ? nil : request.maxAgeSeconds
        channel.keptCount = request.maxMessages == 0 ? nil : request.maxMessages
        channels[channel.id] = channel
        return .retention(request.channelID)
    }

    /// Removes everything whose time is over by now, in the order of time; first those that end, then the oldest.
    mutating func endMessages() {
        while let next = due.min(by: { $0.order < $1.order }) {
            guard var channel = channels[next.channel] else { return }
            if let id = next.message, let place = channel.index(of: id) {
                channel.messages[place].deletedAt = now
                channels[channel.id] = channel
                tellDeletion(place, in: channel)
            } else {
                channel.removeFirst(next.count)
                channels[channel.id] = channel
            }
        }
    }

    private struct Due {
        let at: Int64
        let channel: ChannelID
        /// The message that ends; `nil` if the oldest messages are removed.
        var message: MessageID?
        var count = 0
        var order: (Int64, Int, ChannelID) { (at, message == nil ? 1 : 0, channel) }
    }

    private var due: [Due] {
        channels.values.flatMap { channel in
            var due = channel.messages.filter { $0.deletedAt == nil && $0.expiresAt ?? .max <= now }.map {
                Due(at: $0.expiresAt ?? 0, channel: channel.id, message: $0.id)
            }
            let old = channel.messages.prefix { $0.at + Int64(channel.keptSeconds ?? 1_000_000_000) * 1_000 <= now }
                .count
            let excess = max(0, channel.messages.count - (channel.keptCount ?? .max))
            if max(old, excess) > 0, let oldest = channel.messages.first {
                let at = excess > 0 ? 0 : oldest.at + Int64(channel.keptSeconds ?? 0) * 1_000
                due.append(Due(at: at, channel: channel.id, count: max(old, excess)))
            }
            // Of equal times, the smaller id.
            return due.sorted { ($0.at, $0.message?.description ?? "") < ($1.at, $1.message?.description ?? "") }
        }
    }
}

extension NaiveChannel {
    fileprivate mutating func removeFirst(_ count: Int) {
        for message in messages.prefix(count) {
            if let id = message.clientID { removedClientIDs.append((id, message.sender)) }
            threadTitles[message.id] = nil
            threadData[message.id] = nil
        }
        messages.removeFirst(count)
        for user in joined.keys { joined[user]?.shift(count) }
    }
}

extension NaiveChannel.Joined {
    fileprivate mutating func shift(_ count: Int) {
        hidden = max(0, hidden - count)
        present = max(0, present - count)
        read = max(0, read - count)
        mostRead = max(0, mostRead - count)
        threadRead = threadRead.mapValues { max(0, $0 - count) }
    }
}
