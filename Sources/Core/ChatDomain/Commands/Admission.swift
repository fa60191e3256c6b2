import ChatModel

/// Admits the users named in one command to a channel (`US3`, `US4`, `CH7`, `CH8`). Users who find no free place are
/// skipped. An invitation is cancelled if the user is at the channel limit that applies to the inviter, or at the limit
/// of open invitations.
struct Admission {
    private(set) var events: [Event] = []
    private(set) var joined: [UserID] = []
    private(set) var invited: [UserID] = []
    var count: Int { joined.count + invited.count }
    let channel: ChannelID
    let inviter: UserID?
    private let state: ChatState
    private let context: Context
    private var freePlaces: Int
    /// The number of free places that guests can take.
    private var freeGuestPlaces: Int
    private var freeInvitations: Int

    /// Admits users to an existing channel.
    init(to channel: ChannelState, by inviter: UserID?, _ state: ChatState, _ context: Context) {
        self.init(
            channel.id, inviter, places: channel.freePlaces(context.settings),
            guestPlaces: channel.freeGuestPlaces(context.settings),
            invitations: FieldLimits.invitationsPerChannel - channel.invitations.count, state, context)
    }

    /// Admits users to a channel that the same command creates.
    init(toNew channel: ChannelID, by inviter: UserID?, memberLimit: Int, _ state: ChatState, _ context: Context) {
        self.init(
            channel, inviter, places: memberLimit,
            guestPlaces: context.settings.guestLimit(ofMembers: memberLimit),
            invitations: FieldLimits.invitationsPerChannel, state, context)
    }

    /// - Parameter guestPlaces: The number of places that users can give to guests; the server can give them all.
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
    /// Returns the maximum number of channels for this user (`US4`): lower for guests, because there may be many of
    /// them.
    func channelLimit(_ settings: ChatSettings) -> Int {
        id.isGuest ? min(FieldLimits.channelsPerGuest, settings.channelsPerUser) : settings.channelsPerUser
    }

    /// Returns the number of channels at which other users can no longer add this user: three quarters of the limit,
    /// rounded up. The rest is reserved for channels that the user joins or accepts, and for the server.
    func channelLimitForOthers(_ settings: ChatSettings) -> Int {
        let limit = channelLimit(settings)
        return limit - limit / 4
    }
}

extension ChatState {
    /// Returns why an invitation fails immediately: 1013 at the maximum number of channels, 1031 if the invitation
    /// would stay open and the limit of open invitations is reached (`US4`). `nil` for a user who can be invited.
    ///
    /// - Parameter inviter: The inviter; `nil` for the server, which may use the whole limit.
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

    /// Returns the maximum number of open invitations by one inviter: an eighth of the limit, but at least ten if the
    /// limit allows it, so that no inviter can block the others.
    private static func invitationLimit(ofOneInviter settings: ChatSettings) -> Int {
        max(settings.invitationsPerUser / 8, min(settings.invitationsPerUser, 10))
    }
}
