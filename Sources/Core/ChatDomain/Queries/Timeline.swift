import ChatModel

/// Messages in chronological order: all of a channel's, those shown in the channel itself, or one thread's replies.
struct Timeline {
    let channel: ChannelState
    /// Places in the channel's messages, ascending; `nil` for all of them.
    let selection: Places?

    /// How many messages one query examines on each side before it returns what it has, so that a filter that rarely
    /// matches does not block others.
    static let scanLimit = 20_000

    var count: Int { selection?.count ?? channel.messages.count }

    func message(at place: Int) -> StoredMessage {
        channel.messages[selection.map { $0[place] } ?? place]
    }

    /// The first place whose message is not before the mark.
    private func firstPlace(where isNotBefore: (StoredMessage) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = low + (high - low) / 2
            if isNotBefore(message(at: middle)) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    func firstPlace(fromOffset offset: UInt64) -> Int { firstPlace { $0.offset >= offset } }
    func firstPlace(afterOffset offset: UInt64) -> Int { firstPlace { $0.offset > offset } }
    func firstPlace(fromTime time: Int64) -> Int { firstPlace { $0.createdAt >= time } }
    func firstPlace(afterTime time: Int64) -> Int { firstPlace { $0.createdAt > time } }
}
