import ChatModel

/// Messages in chronological order: those of a channel, those that appear in the channel itself, or the replies of a
/// thread.
struct Timeline {
    let channel: ChannelState
    /// Places in the channel's messages, ascending; `nil` for all messages.
    let selection: Places?
    private let messages: MessageList

    init(channel: ChannelState, selection: Places?) {
        self.channel = channel
        self.selection = selection
        messages = channel.messages
    }

    /// The number of messages per side after which a query returns its results so far, so that a filter that rarely
    /// matches does not block others.
    static let scanLimit = 20_000

    var count: Int { selection?.count ?? messages.count }

    func message(at place: Int) -> StoredMessage { messages[channelPlace(place)] }
    func offset(at place: Int) -> UInt64 { messages.offset(at: channelPlace(place)) }
    func createdAt(at place: Int) -> Int64 { messages.createdAt(at: channelPlace(place)) }

    private func channelPlace(_ place: Int) -> Int {
        selection.map { $0[place] } ?? messages.startIndex + place
    }

    /// Returns the first place that satisfies the condition, which all later places must satisfy too.
    private func firstPlace(where isNotBefore: (Int) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = low + (high - low) / 2
            if isNotBefore(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    func firstPlace(fromOffset offset: UInt64) -> Int { firstPlace { self.offset(at: $0) >= offset } }
    func firstPlace(afterOffset offset: UInt64) -> Int { firstPlace { self.offset(at: $0) > offset } }
    func firstPlace(fromTime time: Int64) -> Int { firstPlace { createdAt(at: $0) >= time } }
    func firstPlace(afterTime time: Int64) -> Int { firstPlace { createdAt(at: $0) > time } }
}
