import ChatModel
import WireProtocol

/// The aggregate of one channel. Touched only by the queue that owns the `ChatState`; changed only by `evolve`.
package final class ChannelState {
    package let id: ChannelID
    let epoch: String
    private(set) var name: String
    /// By which channels are listed.
    private(set) var foldedName: String
    private(set) var isPublic: Bool
    private(set) var isSuper: Bool
    let isEphemeral: Bool
    private(set) var isFrozen = false
    private(set) var distinctKey: DistinctKey?
    private(set) var coverURL: String?
    private(set) var data: String?
    private(set) var customType: String?
    private(set) var metadata: [String: String]
    let createdAt: Int64
    let createdBy: UserID?
    private(set) var members: [UserID: MemberState] = [:]
    private(set) var invitations: [UserID: InvitationState] = [:]
    /// Projection of the roles of members and invited people.
    private(set) var operators: Set<UserID> = []
    /// Projection: who gets the channel back by a new message (`CH11`).
    private(set) var autoUnhiders: Set<UserID> = []
    private(set) var bans = SanctionList()
    /// A mute outlives leaving and coming back.
    private(set) var mutes = SanctionList()
    /// The offset of the room's last event.
    private(set) var top: UInt64
    /// Ascending by offset and, because time never goes back, by `createdAt`.
    private(set) var messages: [StoredMessage] = []
    private(set) var readIndex = ReadIndex()
    /// What was first sent under a client id, for messages that were changed since.
    private var sentContents: [MessageID: UInt64] = [:]
    private var indexByID: [MessageID: Int] = [:]
    private var indexByClientID: [ClientKey: Int] = [:]
    private(set) var threads: [MessageID: ThreadState] = [:]
    /// The parents of the threads in which someone wrote the parent or a reply (`T6`).
    private(set) var participations: [UserID: Set<MessageID>] = [:]
    private var reactions: [MessageID: MessageReactions] = [:]

    private struct ClientKey: Hashable {
        let user: UserID?
        /// Its bytes: an id is opaque, and Swift takes canonically equivalent strings for equal.
        let clientID: [UInt8]

        init(user: UserID?, clientID: String) {
            self.user = user
            self.clientID = Array(clientID.utf8)
        }
    }

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

    init(_ created: Event.ChannelCreated, at: Int64, offset: UInt64) {
        id = created.id
        epoch = created.epoch
        name = created.name
        foldedName = created.name.lowercased()
        isPublic = created.isPublic
        isSuper = created.isSuper
        isEphemeral = created.isEphemeral
        distinctKey = created.distinctKey
        coverURL = created.coverURL
        data = created.data
        customType = created.customType
        metadata = created.metadata
        createdAt = at
        createdBy = created.creator
        top = offset
        if let creator = created.creator {
            members[creator] = MemberState(
                role: created.creatorRole, joinedAt: at, invitedBy: nil, since: 0, cameAt: 0, visibleFrom: 0,
                lastRead: offset, receipt: offset)
            noteRole(of: creator)
        }
    }

    var memberCount: Int { members.count + invitations.count }

    func memberLimit(_ settings: ChatSettings) -> Int {
        isSuper ? settings.membersPerSuperChannel : settings.membersPerChannel
    }

    /// The place of the newest message that stands in the channel itself.
    var newestStanding: Int? { readIndex.standing.last }

    func message(_ id: MessageID) -> StoredMessage? { indexByID[id].map { messages[$0] } }

    func message(clientID: String, of sender: UserID?) -> StoredMessage? {
        indexByClientID[ClientKey(user: sender, clientID: clientID)].map { messages[$0] }
    }

    /// The hash of what its sender sent, when it was changed since.
    func sentContent(of message: MessageID) -> UInt64? { sentContents[message] }

    /// `nil` for a message to which nobody has ever reacted.
    func reactions(on message: MessageID) -> MessageReactions? { reactions[message] }

    // MARK: evolve

    func passed(_ offset: UInt64) {
        precondition(offset == top + 1, "offsets of a room are dense")
        top = offset
    }

    func endDistinct() { distinctKey = nil }

    func invite(_ user: UserID, by inviter: UserID?, role: MemberRole, at: Int64) {
        invitations[user] = InvitationState(inviter: inviter, role: role, at: at)
        noteRole(of: user)
    }

    func dropInvitation(_ user: UserID) {
        invitations[user] = nil
        noteRole(of: user)
    }

    func join(_ joined: Event.MemberJoined, at: Int64, offset: UInt64) {
        invitations[joined.user] = nil
        members[joined.user] = MemberState(
            role: joined.role, joinedAt: at, invitedBy: joined.invitedBy, since: offset - 1, cameAt: offset,
            visibleFrom: joined.seesHistory ? 0 : offset, lastRead: offset, receipt: offset)
        noteRole(of: joined.user)
    }

    func leave(_ user: UserID) {
        members[user] = nil
        autoUnhiders.remove(user)
        noteRole(of: user)
    }

    func hide(_ state: HiddenState, for user: UserID) {
        members[user]?.hidden = state
        if state == .hiddenAllowAutoUnhide { autoUnhiders.insert(user) } else { autoUnhiders.remove(user) }
    }

    /// What lies before the start is gone for this member, and nothing of it is recovered.
    func resetHistory(of user: UserID, to start: UInt64) {
        guard let member = members[user] else { return }
        members[user]?.visibleFrom = max(member.visibleFrom, start)
        members[user]?.since = max(member.since, start - 1)
    }

    func ban(_ user: UserID, _ entry: SanctionList.Entry) {
        bans.impose(entry, on: user)
        invitations[user] = nil
        leave(user)
    }

    func mute(_ user: UserID, _ entry: SanctionList.Entry) { mutes.impose(entry, on: user) }
    func unban(_ user: UserID) { bans.lift(from: user) }
    func unmute(_ user: UserID) { mutes.lift(from: user) }

    func update(_ updated: Event.ChannelUpdated) {
        if let name = updated.name {
            self.name = name
            foldedName = name.lowercased()
        }
        if let coverURL = updated.coverURL { self.coverURL = coverURL.isEmpty ? nil : coverURL }
        if let data = updated.data { self.data = data.isEmpty ? nil : data }
        if let customType = updated.customType { self.customType = customType.isEmpty ? nil : customType }
        if let isPublic = updated.isPublic { self.isPublic = isPublic }
        if let isSuper = updated.isSuper { self.isSuper = isSuper }
    }

    func setMetadata(_ new: [String: String]) { metadata.merge(new) { _, new in new } }
    func deleteMetadata(_ keys: [String]) { for key in keys { metadata[key] = nil } }

    func setPush(_ push: ChannelPush, of user: UserID) { members[user]?.push = push }
    func setFrozen(_ value: Bool) { isFrozen = value }

    func setRole(_ role: MemberRole, of user: UserID) {
        members[user]?.role = role
        invitations[user]?.role = role
        noteRole(of: user)
    }

    private func noteRole(of user: UserID) {
        if (members[user]?.role ?? invitations[user]?.role) == .operator {
            operators.insert(user)
        } else {
            operators.remove(user)
        }
    }

    func append(_ message: StoredMessage) {
        let index = messages.count
        messages.append(message)
        if message.standsInChannel { readIndex.add(index, message) }
        indexByID[message.id] = index
        if let clientID = message.clientID {
            indexByClientID[ClientKey(user: message.sender, clientID: clientID)] = index
        }
        if let parent = message.parent {
            threads[parent, default: ThreadState()].append(index, by: message.sender, at: message.createdAt)
            noteReply(to: parent, message)
        }
    }

    func update(_ updated: Event.MessageUpdated, at: Int64) {
        guard let index = indexByID[updated.id] else { return }
        let message = messages[index]
        if message.clientID != nil, sentContents[message.id] == nil { sentContents[message.id] = message.contentHash }
        if message.standsInChannel { readIndex.removeMentions(index, message) }
        messages[index].update(updated, at: at)
        if message.standsInChannel { readIndex.addMentions(index, messages[index]) }
    }

    func delete(_ id: MessageID, at: Int64) {
        guard let index = indexByID[id] else { return }
        if messages[index].standsInChannel { readIndex.remove(index, messages[index]) }
        messages[index].delete(at: at)
        sentContents[id] = nil
        reactions[id] = nil
        guard let parent = messages[index].parent else { return }
        threads[parent]?.remove(index, by: messages[index].sender) { [messages] in messages[$0].createdAt }
        noteReplyGone(from: parent, messages[index])
    }

    func react(to message: MessageID, _ key: String, by user: UserID, offset: UInt64, at: Int64) {
        reactions[message, default: MessageReactions()].add(key, by: user, offset: offset, at: at)
    }

    func takeBack(_ key: String, from message: MessageID, by user: UserID, at: Int64) {
        reactions[message]?.remove(key, by: user, at: at)
    }
}

// MARK: evolve: reading and threads
extension ChannelState {
    func mark(_ mark: Event.ReadMark) {
        guard var member = members[mark.user] else { return }
        if let thread = mark.thread {
            member.threadMarks[thread] = mark.upTo
        } else {
            member.lastRead = mark.upTo
            member.receipt = max(member.receipt, mark.upTo)
        }
        members[mark.user] = member
    }

    func update(_ updated: Event.ThreadUpdated) {
        threads[updated.parent, default: ThreadState()].update(updated)
    }

    /// Who replies for the first time has seen the thread up to there.
    private func noteReply(to parent: MessageID, _ reply: StoredMessage) {
        if let author = message(parent)?.sender { participations[author, default: []].insert(parent) }
        guard let sender = reply.sender else { return }
        participations[sender, default: []].insert(parent)
        if members[sender]?.threadMarks[parent] == nil { members[sender]?.threadMarks[parent] = reply.offset }
    }

    private func noteReplyGone(from parent: MessageID, _ reply: StoredMessage) {
        let thread = threads[parent] ?? ThreadState()
        let author = message(parent)?.sender
        if thread.replies.isEmpty, let author { forget(parent, of: author) }
        guard let sender = reply.sender, sender != author, thread.replyCount(of: sender) == 0 else { return }
        forget(parent, of: sender)
    }

    private func forget(_ parent: MessageID, of user: UserID) {
        participations[user]?.remove(parent)
        if participations[user]?.isEmpty ?? false { participations[user] = nil }
    }
}
