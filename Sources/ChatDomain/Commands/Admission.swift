import ChatModel
import WireProtocol

/// How the people whom one command names come into a channel (`US3`, `US4`, `CH7`, `CH8`). Who finds no free place is
/// passed over; who is in as many channels as one may be, or has as many open invitations, has this one cancelled.
struct Admission {
    private(set) var events: [Event] = []
    private(set) var joined: [UserID] = []
    private(set) var invited: [UserID] = []
    /// How many were joined or invited.
    var count: Int { joined.count + invited.count }
    let channel: ChannelID
    let inviter: UserID?
    private let context: Context
    private var freePlaces: Int
    private var freeInvitations: Int

    /// - Parameter openInvitations: Those of the channel that wait for an answer already.
    init(
        to channel: ChannelID, by inviter: UserID?, freePlaces: Int, openInvitations: Int = 0, _ context: Context
    ) {
        freeInvitations = FieldLimits.invitationsPerChannel - openInvitations
        self.channel = channel
        self.inviter = inviter
        self.freePlaces = freePlaces
        self.context = context
    }

    mutating func admit(_ user: UserState, as role: MemberRole) {
        guard freePlaces > 0, user.autoAcceptInvitations || freeInvitations > 0 else { return }
        guard user.admissionLimit(context.settings) == nil else {
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

    /// Why an invitation comes to nothing at once: 1013 at the maximum of channels, 1031 where the invitation would have
    /// to wait and as many wait as may (`US4`). `nil` for someone who can be invited.
    func admissionLimit(_ settings: ChatSettings) -> Rejection? {
        guard joinedChannels.count < channelLimit(settings) else { return Rejection(.channelLimit) }
        guard autoAcceptInvitations || invitedChannels.count < settings.invitationsPerUser else {
            return Rejection(.tooMany, "open invitations: \(settings.invitationsPerUser)")
        }
        return nil
    }
}
