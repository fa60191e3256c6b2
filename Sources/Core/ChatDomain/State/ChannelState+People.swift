import ChatModel

extension ChannelState {
    var memberCount: Int { members.count + invitations.count }

    func memberLimit(_ settings: ChatSettings) -> Int {
        isSuper ? settings.membersPerSuperChannel : settings.membersPerChannel
    }

    func freePlaces(_ settings: ChatSettings) -> Int { memberLimit(settings) - memberCount }

    /// Returns how many more guests can join or be added by other users.
    func freeGuestPlaces(_ settings: ChatSettings) -> Int {
        min(freePlaces(settings), settings.guestLimit(ofMembers: memberLimit(settings)) - members.guestCount)
    }

    struct MemberState {
        var role: MemberRole
        var joinedAt: Int64
        var invitedBy: UserID?
        /// The room's offset at the start of the membership; recovery from an earlier offset would span an absence.
        var since: UInt64
        /// The first offset from which the member counts as a reader. Unlike `since`, it survives clearing the history.
        var joinOffset: UInt64
        /// The first visible offset; earlier messages are hidden from this member (`CH7`).
        var visibleFrom: UInt64
        /// The read marker: messages with a greater offset are unread (`U2`).
        var lastRead: UInt64
        /// The furthest position of the marker so far, because receipts shown to others never move back (`U2`).
        var receipt: UInt64
        /// The member's read markers in threads (`T8`).
        var threadMarks: [MessageID: UInt64] = [:]
        var hidden = HiddenState.unhidden
        /// Which messages are pushed to this member (`L2`).
        var push = ChannelPush.default
    }

    struct InvitationState {
        var inviter: UserID?
        var role: MemberRole
        var at: Int64
    }
}

extension ChannelState.MemberState {
    /// Moves the channel's read marker.
    mutating func mark(upTo offset: UInt64) {
        lastRead = offset
        receipt = max(receipt, offset)
    }

    init(_ part: MemberPart) {
        self.init(
            role: part.role, joinedAt: part.joinedAt, invitedBy: part.invitedBy, since: part.since,
            joinOffset: part.joinOffset, visibleFrom: part.visibleFrom, lastRead: part.lastRead, receipt: part.receipt,
            threadMarks: Dictionary(part.threadMarks.map { ($0.parent, $0.upTo) }, uniquingKeysWith: max),
            hidden: part.hidden, push: part.push)
    }
}

extension MemberPart {
    /// - Parameter marks: Whether the thread marks are included, or stored in separate pieces.
    init(_ user: UserID, _ member: ChannelState.MemberState, marks: Bool) {
        self.init(
            user: user, role: member.role, joinedAt: member.joinedAt, invitedBy: member.invitedBy,
            since: member.since, joinOffset: member.joinOffset, visibleFrom: member.visibleFrom,
            lastRead: member.lastRead, receipt: member.receipt,
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
