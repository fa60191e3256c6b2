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
    private var freeInvitations: Int

    /// - Parameter openInvitations: Those of the channel that wait for an answer already.
    init(
        to channel: ChannelID, by inviter: UserID?, freePlaces: Int, openInvitations: Int = 0, _ state: ChatState,
        _ context: Context
    ) {
        freeInvitations = FieldLimits.invitationsPerChannel - openInvitations
        self.channel = channel
        self.inviter = inviter
        self.freePlaces = freePlaces
        self.state = state
        self.context = context
    }

    mutating func admit(_ user: UserState, as role: MemberRole) {
        guard freePlaces > 0, user.autoAcceptInvitations || freeInvitations > 0 else { return }
        guard state.admissionLimit(of: user, by: inviter, context.settings) == nil else {
            events.append(.invitationCancelled(channel, user.id, by: inviter, invitedAt: context.now))
            return
        }
        freePlaces -= 1
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
        guard user.autoAcceptInvitations || user.invitedChannels.count < settings.invitationsPerUser else {
            return Rejection(.tooMany, "open invitations: \(settings.invitationsPerUser)")
        }
        return nil
    }
}
