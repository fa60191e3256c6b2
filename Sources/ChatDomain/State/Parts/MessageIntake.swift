import ChatModel

/// Takes in one channel's messages apart from the rest of the state: on any queue, as long as nothing else touches the
/// channel meanwhile.
package struct MessageIntake: @unchecked Sendable {
    private let channel: ChannelState

    fileprivate init(_ channel: ChannelState) { self.channel = channel }

    /// One of so many, always the same for a channel.
    package func lane(of count: Int) -> Int { Int(UInt(bitPattern: channel.id.hashValue) % UInt(max(1, count))) }

    package func take(_ parts: [MessagePart]) throws(StatePart.Problem) {
        for part in parts { try channel.take(part) }
    }
}

extension ChatState {
    /// The channel's next messages, once the channel and its members were taken in.
    package func messageIntake(of id: ChannelID) throws(StatePart.Problem) -> MessageIntake {
        guard let channel = channels[id] else { throw .unknownChannel(id) }
        return MessageIntake(channel)
    }
}
