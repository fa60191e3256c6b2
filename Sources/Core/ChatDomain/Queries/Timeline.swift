import ChatModel

/// Messages in chronological order: those of a channel, those that appear in the channel itself, or the replies of a
/// thread.
struct Timeline {
    let channel: ChannelState
    /// Places in the channel's messages, ascending; `nil` for all messages.
    let selection: Places?

    /// The number of messages per side after which a query returns its results so far, so that a filter that rarely
    /// matches does not block others.
    static let scanLimit = 20_000

    var count: Int { selection?.count ?? channel.messages.count }

    func message(at place: Int) -> StoredMessage {
        channel.messages[selection.map { $0[place] } ?? place]
    }

    /// Returns the first place whose message satisfies the condition, which all later messages must satisfy too.
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
