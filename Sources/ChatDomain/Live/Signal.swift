import ChatModel
import WireProtocol

/// A request about the moment: heard by those who listen now, and kept nowhere.
package protocol Signal: Request {
    /// Changes the live state alone.
    ///
    /// - Returns: The answer, and what others hear.
    func carryOut(
        in state: ChatState, _ live: inout LiveState, _ context: Context
    ) throws(Rejection) -> (response: Response, effects: [Effect])
}

/// What is true only while the process lives: beside the state, because no event tells it.
package struct LiveState: Sendable {
    package private(set) var typing = TypingTable()
    package internal(set) var presence = PresenceTable()

    package init() {}
}

extension LiveState {
    mutating func startTyping(_ user: UserID, in channel: ChannelID, at now: Int64) throws(Rejection) -> Int64? {
        try typing.start(user, in: channel, at: now)
    }

    mutating func stopTyping(_ user: UserID, in channel: ChannelID) -> Bool { typing.stop(user, in: channel) }

    /// Ends what nobody renewed.
    ///
    /// - Parameter now: Milliseconds since 1970.
    /// - Returns: What the channels hear of it.
    package mutating func expire(in state: ChatState, at now: Int64) -> [Effect] {
        typing.expire(at: now).compactMap { state.typingStopped($0.user, in: $0.channel, at: now, by: nil) }
    }
}
