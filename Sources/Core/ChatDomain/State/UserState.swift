import ChatModel

/// The aggregate of one user. Touched only on the queue that owns the `ChatState`, and changed only by `evolve`.
package final class UserState {
    package let id: UserID
    private(set) var nickname: String
    /// The lower-case nickname, for searches.
    private(set) var foldedNickname: String
    /// The collation key of the nickname.
    private(set) var sortKey: String
    private(set) var profileURL: String?
    private(set) var metadata: [String: String]
    private(set) var autoAcceptInvitations = true
    /// Whether the user is an admin of all channels they are in (`RO1`).
    private(set) var isAppAdmin: Bool
    /// Whether the user is active, that is, not deactivated (`US2`).
    private(set) var isActive = true
    /// The second, since 1970, before which issued tokens are refused; 0 if no tokens were revoked.
    private(set) var tokensRevokedBefore: Int64 = 0
    /// When a guest was last active or seen, in milliseconds since 1970; 0 for everyone else.
    private(set) var seenAt: Int64 = 0
    /// When the last connection ended, as recorded, in milliseconds since 1970; 0 if never recorded (`US7`).
    private(set) var lastSeenAt: Int64 = 0
    /// Whether the last recorded sighting is a connection.
    private(set) var isConnected = false
    private(set) var push = PushPreference.all
    /// The devices in the order of registration; bounded by `FieldLimits.devicesPerUser`.
    private(set) var devices: [Device] = []
    /// The deletion of the user while it is under way (`PR1`).
    private(set) var erasure: Erasure?
    let inboxEpoch: String
    /// The offset of the inbox's last event.
    private(set) var inboxTop: UInt64 = 0
    /// Projection: the channels in which the user is a member.
    private(set) var joinedChannels: Set<ChannelID> = []
    /// The joined channels sorted by id, so that queries over all of them need not sort each time.
    private var sortedChannels = SortedList<ChannelID>()
    /// Projection: the open invitations, with their inviters; `nil` for the server.
    private(set) var invitations: [ChannelID: UserID?] = [:]
    private var invitationsByInviter: [UserID: Int] = [:]

    init(_ created: Event.UserCreated) {
        id = created.id
        nickname = created.nickname
        foldedNickname = created.nickname.lowercased()
        sortKey = Collation.key(folded: foldedNickname)
        profileURL = created.profileURL
        metadata = created.metadata
        inboxEpoch = created.inboxEpoch
        isAppAdmin = created.isAppAdmin
    }

    init(_ part: UserPart) {
        id = part.user.id
        nickname = part.user.nickname
        foldedNickname = part.user.nickname.lowercased()
        sortKey = Collation.key(folded: foldedNickname)
        profileURL = part.user.profileURL
        metadata = part.user.metadata
        inboxEpoch = part.user.inboxEpoch
        isAppAdmin = part.user.isAppAdmin
        autoAcceptInvitations = part.autoAcceptInvitations
        isActive = part.isActive
        push = part.push
        devices = part.devices
        inboxTop = part.inboxTop
        tokensRevokedBefore = part.tokensRevokedBefore
        seenAt = part.seenAt
        lastSeenAt = part.lastSeenAt
        isConnected = part.isConnected
        erasure = part.erasure
    }

    var part: UserPart {
        UserPart(
            user: Event.UserCreated(
                id: id, nickname: nickname, profileURL: profileURL, metadata: metadata, inboxEpoch: inboxEpoch,
                isAppAdmin: isAppAdmin),
            autoAcceptInvitations: autoAcceptInvitations, isActive: isActive, push: push, devices: devices,
            inboxTop: inboxTop, tokensRevokedBefore: tokensRevokedBefore, seenAt: seenAt,
            lastSeenAt: lastSeenAt, isConnected: isConnected, erasure: erasure)
    }

    /// The joined channels, sorted by id.
    var channelsInOrder: [ChannelID] { sortedChannels.elements }

    // MARK: evolve

    func advance(to offset: UInt64) {
        precondition(offset == inboxTop + 1, "offsets of a room are dense")
        inboxTop = offset
    }

    func update(_ updated: Event.UserUpdated) {
        if let nickname = updated.nickname {
            self.nickname = nickname
            foldedNickname = nickname.lowercased()
            sortKey = Collation.key(folded: foldedNickname)
        }
        if let profileURL = updated.profileURL { self.profileURL = profileURL }
        if let metadata = updated.metadata { self.metadata = metadata }
        if let isAppAdmin = updated.isAppAdmin { self.isAppAdmin = isAppAdmin }
    }

    /// Removes the profile. The id is needed until nothing names the user.
    func erase(_ erased: ErasedUser) {
        erasure = Erasure(alias: erased.alias, deletesMessages: erased.deletesMessages)
        (nickname, foldedNickname, sortKey) = ("", "", Collation.key(folded: ""))
        (profileURL, metadata, devices) = (nil, [:], [])
        (isActive, isAppAdmin, isConnected, seenAt, lastSeenAt) = (false, false, false, 0, 0)
        (autoAcceptInvitations, push) = (true, .all)
        tokensRevokedBefore = max(tokensRevokedBefore, erased.before)
    }

    func setAutoAccept(_ value: Bool) { autoAcceptInvitations = value }
    func setActive(_ value: Bool) { isActive = value }
    func revokeTokens(before second: Int64) { tokensRevokedBefore = second }
    func recordActivity(at time: Int64) { seenAt = time }
    func recordSighting(leftAt: Int64?) {
        isConnected = leftAt == nil
        if let leftAt { lastSeenAt = leftAt }
    }

    func invite(to channel: ChannelID, by inviter: UserID?) {
        dropInvitation(to: channel)
        invitations[channel] = .some(inviter)
        if let inviter { invitationsByInviter[inviter, default: 0] += 1 }
    }

    private func dropInvitation(to channel: ChannelID) {
        guard let inviter = invitations.removeValue(forKey: channel) ?? nil else { return }
        let left = (invitationsByInviter[inviter] ?? 1) - 1
        invitationsByInviter[inviter] = left > 0 ? left : nil
    }

    func invitations(by inviter: UserID) -> Int { invitationsByInviter[inviter] ?? 0 }

    func join(_ channel: ChannelID) {
        if joinedChannels.insert(channel).inserted { sortedChannels.insert(channel) }
        dropInvitation(to: channel)
    }

    /// Ends a membership or an invitation.
    func leave(_ channel: ChannelID) {
        endMembership(in: channel)
        dropInvitation(to: channel)
    }

    func endMembership(in channel: ChannelID) {
        if joinedChannels.remove(channel) != nil { sortedChannels.remove(channel) }
    }

    func setPush(_ value: PushPreference) { push = value }
    func register(_ device: Device) { devices.append(device) }
    func unregister(_ device: Device) { devices.removeAll { $0 == device } }
}
