import ChatModel

/// The inputs of a decision that are not part of the state.
package struct Context: Sendable {
    package let caller: Caller
    /// The time in milliseconds since 1970; the engine ensures that it never goes backwards.
    package let now: Int64
    /// The id of the object that this command creates; 128 bits that are never reused.
    package let freshID: MessageID
    package let settings: ChatSettings
    /// The online users, for responses only (`US6`); no decision depends on them.
    package let presence: PresenceTable
    package let work: WorkMeter
    /// The survey for commands that require one; see `Change.surveysChannels`.
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

    /// An id for a new incarnation of a room: 62 random bits.
    var freshEpoch: String { String(freshID.low & 0x3FFF_FFFF_FFFF_FFFF, radix: 36) }

    /// Checks that a command about a user does not name the caller.
    func checkIsOther(_ user: UserID) throws(Rejection) {
        guard user != caller.user else { throw Rejection(.invalidValue, "user_id: must not be the caller") }
    }
}
