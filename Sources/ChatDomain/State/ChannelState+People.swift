import ChatModel

extension ChannelState {
    struct MemberState {
        var role: MemberRole
        var joinedAt: Int64
        var invitedBy: UserID?
        /// The room's position when the membership began: recovery from before it spans an absence.
        var since: UInt64
        /// Who came after a message was not its reader. Unlike `since` it stays when one clears one's history.
        var cameAt: UInt64
        /// Messages with a smaller offset are hidden from this member (`CH7`).
        var visibleFrom: UInt64
        /// The marker: what has a greater offset is unread (`U2`).
        var lastRead: UInt64
        /// The furthest that the marker ever was: what others were told stays (`U2`).
        var receipt: UInt64
        /// The markers of the threads in which this member has one of their own (`T8`).
        var threadMarks: [MessageID: UInt64] = [:]
        var hidden = HiddenState.unhidden
        /// What this member is pushed (`L2`).
        var push = ChannelPush.default
    }

    struct InvitationState {
        var inviter: UserID?
        var role: MemberRole
        var at: Int64
    }
}

extension ChannelState.MemberState {
    /// Moves the channel's marker.
    mutating func mark(upTo offset: UInt64) {
        lastRead = offset
        receipt = max(receipt, offset)
    }

    init(_ part: MemberPart) {
        self.init(
            role: part.role, joinedAt: part.joinedAt, invitedBy: part.invitedBy, since: part.since,
            cameAt: part.cameAt, visibleFrom: part.visibleFrom, lastRead: part.lastRead, receipt: part.receipt,
            threadMarks: Dictionary(part.threadMarks.map { ($0.parent, $0.upTo) }, uniquingKeysWith: max),
            hidden: part.hidden, push: part.push)
    }
}

extension MemberPart {
    /// - Parameter marks: Whether the marks stand here, or in pieces of their own.
    init(_ user: UserID, _ member: ChannelState.MemberState, marks: Bool) {
        self.init(
            user: user, role: member.role, joinedAt: member.joinedAt, invitedBy: member.invitedBy,
            since: member.since, cameAt: member.cameAt, visibleFrom: member.visibleFrom, lastRead: member.lastRead,
            receipt: member.receipt,
            threadMarks: !marks
                ? []
                : member.threadMarks.sorted { $0.key < $1.key }.map { ThreadMark(parent: $0.key, upTo: $0.value) },
            hidden: member.hidden, push: member.push)
    }
}

extension InvitationPart {
    init(_ user: UserID, _ invitation: ChannelState.InvitationState) {
        self.init(user: user, inviter: invitation.inviter, role: invitation.role, at: invitation.at)
    }
}
