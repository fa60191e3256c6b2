import ChatModel

/// A transient request: delivered to current listeners but not stored.
package protocol Signal: Request {
    /// Same as `Change.isBrief`.
    static var isBrief: Bool { get }
    /// Executes the request, which changes only the live state.
    ///
    /// - Returns: The response, and the effects for other users.
    func carryOut(
        in state: ChatState, _ live: inout LiveState, _ context: Context
    ) throws(Rejection) -> (response: Response, effects: [Effect])
}

extension Signal {
    package static var isBrief: Bool { false }
}

/// State that ends with the process; separate from `ChatState`, because no events describe it.
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

    /// Ends typing that was not renewed in time.
    ///
    /// - Parameter now: Milliseconds since 1970.
    /// - Returns: The effects for the channels.
    package mutating func expire(in state: ChatState, at now: Int64) -> [Effect] {
        typing.expire(at: now).compactMap { state.typingStopped($0.user, in: $0.channel, at: now, by: nil) }
    }
}
