import ChatModel
import WireProtocol

/// How the people whom one command names come into a channel (`US3`, `US4`, `CH7`, `CH8`). Who finds no free place is
/// passed over; who is in as many channels as the inviter may add them to, or has as many open invitations, has this one
/// cancelled.
struct Admission {
    private(set) var events: [Event] = []
    private(set) var joined: [UserID] = []
    private(set) var invited: [UserID] = []
    /// How many were joined or invited.
    var count: Int { joined.count + invited.count }
    let channel: ChannelID
    let inviter: UserID?
    private let state: ChatState
    private let context: Context
    private var freePlaces: Int
    /// Of them, how many guests may take.
    private var freeGuestPlaces: Int
    private var freeInvitations: Int

    /// To a channel that exists.
    init(to channel: ChannelState, by inviter: UserID?, _ state: ChatState, _ context: Context) {
        self.channel = channel.id
        self.inviter = inviter
        self.state = state
        self.context = context
        freePlaces = channel.freePlaces(context.settings)
        freeGuestPlaces = inviter == nil ? freePlaces : channel.freeGuestPlaces(context.settings)
        freeInvitations = FieldLimits.invitationsPerChannel - channel.invitations.count
    }

    /// To a channel that this command creates.
    init(toNew channel: ChannelID, by inviter: UserID?, memberLimit: Int, _ state: ChatState, _ context: Context) {
        self.channel = channel
        self.inviter = inviter
        self.state = state
        self.context = context
        freePlaces = memberLimit
        freeGuestPlaces = inviter == nil ? memberLimit : context.settings.guestLimit(ofMembers: memberLimit)
        freeInvitations = FieldLimits.invitationsPerChannel
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
    /// `US4`; of a guest, of whom there may be many, fewer.
    func channelLimit(_ settings: ChatSettings) -> Int {
        id.isGuest ? min(FieldLimits.channelsPerGuest, settings.channelsPerUser) : settings.channelsPerUser
    }

    /// How many channels a user can be in before other users cannot add them to more: three quarters of their limit,
    /// rounded up. The rest is for what they join or accept themselves, and for the server.
    func channelLimitForOthers(_ settings: ChatSettings) -> Int {
        let limit = channelLimit(settings)
        return limit - limit / 4
    }
}

extension ChatState {
    /// Why an invitation comes to nothing at once: 1013 at the maximum of channels, 1031 where the invitation would have
    /// to wait and as many wait as may (`US4`). `nil` for someone who can be invited.
    ///
    /// - Parameter inviter: `nil` for the server, which may use the whole limit.
    func admissionLimit(of user: UserState, by inviter: UserID?, _ settings: ChatSettings) -> Rejection? {
        let count = channelCount(of: user)
        guard count < user.channelLimit(settings) else { return Rejection(.channelLimit) }
        let limit = user.channelLimitForOthers(settings)
        guard inviter == nil || count < limit else {
            return Rejection(.channelLimit, "other users add to at most \(limit)")
        }
        guard !user.autoAcceptInvitations else { return nil }
        guard user.invitations.count < settings.invitationsPerUser else {
            return Rejection(.tooMany, "open invitations: \(settings.invitationsPerUser)")
        }
        guard let inviter else { return nil }
        let share = Self.invitationLimit(ofOneInviter: settings)
        guard user.invitations(by: inviter) < share else {
            return Rejection(.tooMany, "open invitations by one user: \(share)")
        }
        return nil
    }

    /// How many invitations by the same user may wait: an eighth of all, but ten where there are as many, so that nobody
    /// keeps others from inviting someone.
    private static func invitationLimit(ofOneInviter settings: ChatSettings) -> Int {
        max(settings.invitationsPerUser / 8, min(settings.invitationsPerUser, 10))
    }
}
