import ChatModel

/// Who sent a request, or for whom it is carried out: a server key may send requests for users.
package enum Caller: Hashable, Sendable {
    case user(UserID)
    /// A server key that acts for no particular user.
    case server

    package var user: UserID? {
        switch self {
        case .user(let user): user
        case .server: nil
        }
    }
}

/// The inputs of a decision that are not part of the state.
package struct Context: Sendable {
    package let caller: Caller
    /// Milliseconds since 1970; the engine ensures that it never goes backwards.
    package let now: Int64
    /// The id for anything that this command creates; 128 bits that are never reused.
    package let freshID: MessageID
    package let settings: ChatSettings
    /// Who is online, for answers to report (`US6`); no decision depends on it.
    package let presence: PresenceTable
    /// Counts the cost of the command.
    package let work: WorkMeter
    /// Made in earlier turns, for commands that need it; see `Change.surveysChannels`.
    let survey: ChannelSurvey?

    package init(
        caller: Caller, now: Int64, freshID: MessageID, settings: ChatSettings,
        presence: PresenceTable = PresenceTable(), work: WorkMeter = WorkMeter(), survey: ChannelSurvey? = nil
    ) {
        self.caller = caller
        self.now = now
        self.freshID = freshID
        self.settings = settings
        self.presence = presence
        self.work = work
        self.survey = survey
    }

    /// Identifies one incarnation of a room: 62 random bits.
    var freshEpoch: String { String(freshID.low & 0x3FFF_FFFF_FFFF_FFFF, radix: 36) }
}
