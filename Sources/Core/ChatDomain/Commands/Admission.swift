import ChatModel

/// Admits the people named by one command to a channel (`US3`, `US4`, `CH7`, `CH8`). People for whom the channel has no
/// free place are skipped. If a user has reached the channel limit that applies to the inviter, or the limit of open
/// invitations, the invitation is cancelled.
struct Admission {
    private(set) var events: [Event] = []
    private(set) var joined: [UserID] = []
    private(set) var invited: [UserID] = []
    /// How many people were joined or invited.
    var count: Int { joined.count + invited.count }
    let channel: ChannelID
    let inviter: UserID?
    private let state: ChatState
    private let context: Context
    private var freePlaces: Int
    /// How many of the free places guests may take.
    private var freeGuestPlaces: Int
    private var freeInvitations: Int

    /// For a channel that exists.
    init(to channel: ChannelState, by inviter: UserID?, _ state: ChatState, _ context: Context) {
        self.init(
            channel.id, inviter, places: channel.freePlaces(context.settings),
            guestPlaces: channel.freeGuestPlaces(context.settings),
            invitations: FieldLimits.invitationsPerChannel - channel.invitations.count, state, context)
    }

    /// For a channel that this command creates.
    init(toNew channel: ChannelID, by inviter: UserID?, memberLimit: Int, _ state: ChatState, _ context: Context) {
        self.init(
            channel, inviter, places: memberLimit,
            guestPlaces: context.settings.guestLimit(ofMembers: memberLimit),
            invitations: FieldLimits.invitationsPerChannel, state, context)
    }

    /// - Parameter guestPlaces: How many of the places users may give to guests; the server may give them all.
    private init(
        _ channel: ChannelID, _ inviter: UserID?, places: Int, guestPlaces: Int, invitations: Int, _ state: ChatState,
        _ context: Context
    ) {
        self.channel = channel
        self.inviter = inviter
        self.state = state
        self.context = context
        freePlaces = places
        freeGuestPlaces = inviter == nil ? places : guestPlaces
        freeInvitations = invitations
    }

    mutating func admit(_ user: UserState, as role: MemberRole) {
        guard freePlaces > 0, user.autoAcceptInvitations || freeInvitations > 0 else { return }
        guard !user.id.isGuest || freeGuestPlaces > 0 else { return }
        guard state.admissionLimit(of: user, by: inviter, context.settings) == nil else {
            events.append(.invitationCancelled(channel, user.id, by: inviter, invitedAt: context.now))
            return
        }
        freePlaces -= 1
        if user.id.isGuest { freeGuestPlaces -= 1 }
        guard user.autoAcceptInvitations else {
            freeInvitations -= 1
            events.append(.invited(channel, user.id, by: inviter, role: role))
            invited.append(user.id)
            return
        }
        events.append(
            .memberJoined(
                Event.MemberJoined(
                    channel: channel, user: user.id, role: role, invitedBy: inviter,
                    seesHistory: context.settings.historyVisibleToNewcomers)))
        joined.append(user.id)
    }
}

extension UserState {
    /// The largest number of channels that the user can be in (`US4`); lower for guests, as there may be many of them.
    func channelLimit(_ settings: ChatSettings) -> Int {
        id.isGuest ? min(FieldLimits.channelsPerGuest, settings.channelsPerUser) : settings.channelsPerUser
    }

    /// How many channels a user can be in before other users can no longer add them: three quarters of the limit,
    /// rounded up. The rest is reserved for channels that they join or accept themselves, and for the server.
    func channelLimitForOthers(_ settings: ChatSettings) -> Int {
        let limit = channelLimit(settings)
        return limit - limit / 4
    }
}

extension ChatState {
    /// Why an invitation fails at once: 1013 at the maximum of channels, 1031 if the invitation would stay open and the
    /// limit of open invitations is reached (`US4`). `nil` for someone who can be invited.
    ///
    /// - Parameter inviter: `nil` for the server, which may use the whole limit.
    func admissionLimit(of user: UserState, by inviter: UserID?, _ settings: ChatSettings) -> Rejection? {
        let count = channelCount(of: user)
        guard count < user.channelLimit(settings) else { return Rejection(.channelLimit) }
        let limit = user.channelLimitForOthers(settings)
        guard inviter == nil || count < limit else {
            return Rejection(.channelLimit, "other users can add them to at most \(limit) channels")
        }
        guard !user.autoAcceptInvitations else { return nil }
        guard user.invitations.count < settings.invitationsPerUser else {
            return Rejection(.tooMany, "open invitations: at most \(settings.invitationsPerUser)")
        }
        guard let inviter else { return nil }
        let share = Self.invitationLimit(ofOneInviter: settings)
        guard user.invitations(by: inviter) < share else {
            return Rejection(.tooMany, "open invitations by one user: at most \(share)")
        }
        return nil
    }

    /// How many invitations from one inviter may be open: an eighth of the limit, but at least ten if the limit allows
    /// it, so that no inviter can block the others.
    private static func invitationLimit(ofOneInviter settings: ChatSettings) -> Int {
        max(settings.invitationsPerUser / 8, min(settings.invitationsPerUser, 10))
    }
}
