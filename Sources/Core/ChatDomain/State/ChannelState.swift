import ChatModel

/// The aggregate of one channel. Touched only on the queue that owns the `ChatState`, and changed only by `evolve`.
package final class ChannelState {
    package let id: ChannelID
    let epoch: String
    private(set) var name: String
    /// The lower-case name, for searches.
    private(set) var foldedName: String
    /// The collation key of the name.
    private(set) var sortKey: String
    private(set) var isPublic: Bool
    private(set) var isSuper: Bool
    let isEphemeral: Bool
    private(set) var isFrozen = false
    /// The seconds after which new messages are removed; `nil` for never (`MT9`).
    private(set) var messageSeconds: Int?
    private(set) var retention = Retention()
    /// The offset after the last message removed by retention; `nil` if none was (`PR4`).
    private(set) var firstOffset: UInt64?
    private(set) var distinctKey: DistinctKey?
    private(set) var coverURL: String?
    private(set) var data: String?
    private(set) var customType: String?
    private var metadataValues: Metadata
    let createdAt: Int64
    /// The user who created the channel; `nil` for the server, which also owns channels it took over.
    private(set) var createdBy: UserID?
    private(set) var members: ChannelMembers
    private(set) var invitations: [UserID: InvitationState] = [:]
    /// Projection: members and invited users who are operators.
    private(set) var operators: Set<UserID> = []
    /// Projection: users for whom a new message unhides the channel (`CH11`), or who were not yet notified that one
    /// did.
    private(set) var autoUnhiders = AutoUnhiders()
    private(set) var bans = SanctionList()
    /// The mutes, which remain in effect when a member leaves and rejoins.
    private(set) var mutes = SanctionList()
    /// The offset of the room's last event.
    private(set) var top: UInt64
    /// Changed only by `evolve`, and when a snapshot is loaded.
    var store: MessageStore
    var moderationLog = ModerationLog(limit: FieldLimits.moderationLogOfChannel)
    /// The slow mode; `nil` while it is off. Changed like `store`.
    var slowMode: SlowMode?

    /// Creates a channel that an import fills; its members follow.
    convenience init(imported created: Event.ChannelCreated, at: Int64, _ sources: MessageSources) {
        self.init(channel: created, createdAt: at, top: 1, shift: 0, sources)
    }

    convenience init(_ created: Event.ChannelCreated, at: Int64, offset: UInt64, _ sources: MessageSources) {
        self.init(channel: created, createdAt: at, top: offset, shift: 0, sources)
        if let creator = created.creator {
            members.insert(
                MemberState(
                    role: created.creatorRole, joinedAt: at, invitedBy: nil, since: 0, joinOffset: 0, visibleFrom: 0,
                    lastRead: offset, receipt: offset), for: creator)
            updateOperators(for: creator)
        }
    }

    /// Creates a channel without members.
    private init(
        channel: Event.ChannelCreated, createdAt: Int64, top: UInt64, shift: Int, _ sources: MessageSources
    ) {
        id = channel.id
        epoch = channel.epoch
        name = channel.name
        foldedName = channel.name.lowercased()
        sortKey = Collation.key(folded: foldedName)
        isPublic = channel.isPublic
        members = ChannelMembers(includesGuests: channel.isPublic)
        isSuper = channel.isSuper
        isEphemeral = channel.isEphemeral
        distinctKey = channel.distinctKey
        coverURL = channel.coverURL
        data = channel.data
        customType = channel.customType
        metadataValues = Metadata(channel.metadata)
        self.createdAt = createdAt
        createdBy = channel.creator
        self.top = top
        store = MessageStore(sources, of: channel.id, shift: shift)
    }

    var metadata: [String: String] { metadataValues.values }
    func metadata(of key: MetadataKey) -> String? { metadataValues[key] }

    /// The messages, ascending by offset. Their `createdAt` ascends too, because time never goes backwards.
    var messages: MessageList { store.messages }
    var readIndex: ReadIndex { store.readIndex }
    var threadParts: some Sequence<ThreadPart> { store.threadParts }
    var threads: ShardedDictionary<MessageID, ThreadState> { store.threads }
    /// Returns the places of the parents of threads in which the user wrote the parent or a reply (`T6`); may be empty.
    func participations(of user: UserID) -> Places { store.participations[user] ?? Places() }

    func isParticipant(_ user: UserID, in parent: MessageID) -> Bool { store.isParticipant(user, in: parent) }

    /// The place of the newest message that appears in the channel itself.
    var newestInChannel: Int? { store.readIndex.inChannel.last }

    func contains(_ message: MessageID) -> Bool { store.messages.place(of: message) != nil }
    func message(_ id: MessageID) -> StoredMessage? { store.message(id) }

    /// Returns the place of the message that a user sent with a client id. It may have been removed by retention.
    func place(clientID: String, of sender: UserID?) -> Int? { store.place(clientID: clientID, of: sender) }

    /// Returns the uploads of a message, which is then in memory.
    func uploads(of message: MessageID) -> [FileID] {
        store.need(message)
        return store.message(message)?.uploads ?? []
    }

    /// Has the message at a place in memory.
    func need(at place: Int) { store.need(at: place) }

    /// Returns the hash of the original content; `nil` unless the message has a client id and was changed.
    func sentContent(of message: MessageID) -> UInt64? { store.sentContent(of: message) }

    /// Returns the reactions to a message; `nil` if nobody has ever reacted.
    func reactions(on message: MessageID) -> MessageReactions? { store.reactions(on: message) }
    var hasReactions: Bool { store.hasReactions }

    // MARK: evolve

    func advance(to offset: UInt64) {
        precondition(offset == top + 1, "offsets of a room are dense")
        top = offset
    }

    func endDistinct() { distinctKey = nil }

    func invite(_ user: UserID, by inviter: UserID?, role: MemberRole, at: Int64) {
        invitations[user] = InvitationState(inviter: inviter, role: role, at: at)
        updateOperators(for: user)
    }

    func dropInvitation(_ user: UserID) {
        invitations[user] = nil
        updateOperators(for: user)
    }

    func join(_ joined: Event.MemberJoined, at: Int64, offset: UInt64) {
        if !invitations.isEmpty { invitations[joined.user] = nil }
        members.insert(
            MemberState(
                role: joined.role, joinedAt: at, invitedBy: joined.invitedBy, since: offset - 1, joinOffset: offset,
                visibleFrom: joined.seesHistory ? 0 : offset, lastRead: offset, receipt: offset), for: joined.user)
        updateOperators(for: joined.user, role: joined.role)
    }

    func leave(_ user: UserID) {
        members.remove(user)
        autoUnhiders.remove(user)
        updateOperators(for: user)
    }

    func hide(_ state: HiddenState, for user: UserID) {
        guard members[user] != nil else { return }
        members[user]?.hidden = state
        if state == .hiddenAllowAutoUnhide {
            autoUnhiders.insert(user, since: top)
        } else {
            autoUnhiders.remove(user)
        }
    }

    /// Returns whether the user hides the channel, according to `autoUnhiders` as well: a new message unhides it
    /// without an event per member.
    func hiddenState(of user: UserID) -> HiddenState {
        members[user].map { hiddenState(of: user, $0) } ?? .unhidden
    }

    func hiddenState(of user: UserID, _ member: MemberState) -> HiddenState {
        let state = member.hidden
        return state == .hiddenAllowAutoUnhide && autoUnhiders.isUnhidden(for: user) ? .unhidden : state
    }

    /// Hides everything before `start` from this member and makes it unrecoverable.
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
            sortKey = Collation.key(folded: foldedName)
        }
        if let coverURL = updated.coverURL { self.coverURL = coverURL.isEmpty ? nil : coverURL }
        if let data = updated.data { self.data = data.isEmpty ? nil : data }
        if let customType = updated.customType { self.customType = customType.isEmpty ? nil : customType }
        if let isPublic = updated.isPublic {
            self.isPublic = isPublic
            members.includesGuests = isPublic
        }
        if let isSuper = updated.isSuper { self.isSuper = isSuper }
        if let seconds = updated.messageSeconds { messageSeconds = seconds == 0 ? nil : seconds }
        if let seconds = updated.slowModeSeconds { setSlowMode(seconds) }
        if updated.isTakenOver { createdBy = nil }
    }

    func setRetention(_ retention: Retention) { self.retention = retention }

    /// Removes the messages up to an offset.
    func trim(upTo offset: UInt64, keeping clientIDs: KeptClientIDs) {
        let offset = min(offset, top)
        firstOffset = offset + 1
        store.trim(upTo: offset, keeping: clientIDs)
    }

    /// Replaces a deleted user everywhere but in messages.
    func replacePeople(_ user: UserID, by alias: UserID) {
        leave(user)
        dropInvitation(user)
        members.replaceInviter(user, by: alias)
        for invited in invitations.filter({ $0.value.inviter == user }).keys { invitations[invited]?.inviter = alias }
        bans.replace(user, by: alias)
        mutes.replace(user, by: alias)
        slowMode?.forget(user)
        moderationLog.replace(user, by: alias)
        autoUnhiders.replaceSender(user, by: alias)
        if createdBy == user { createdBy = alias }
    }

    /// Changes messages, as those of a deleted user, in place.
    func changeMessages<Result>(_ body: (inout MessageStore) -> Result) -> Result { body(&store) }

    func setMetadata(_ new: [String: String]) { metadataValues.set(new) }
    func deleteMetadata(_ keys: [String]) { metadataValues.delete(keys) }

    /// Adds a member of a channel that is still hidden. Until it is opened, markers beyond its end mean the end.
    func addImported(_ joined: Event.MemberJoined, at: Int64, offset: UInt64) {
        members.insert(
            MemberState(
                role: joined.role, joinedAt: at, invitedBy: joined.invitedBy, since: StatePart.lastOffset,
                joinOffset: offset, visibleFrom: joined.seesHistory ? 0 : StatePart.lastOffset,
                lastRead: StatePart.lastOffset, receipt: StatePart.lastOffset), for: joined.user)
        updateOperators(for: joined.user, role: joined.role)
    }

    /// Sets the read marker of a member of a channel that is still hidden.
    func setImportedMark(of user: UserID, upTo offset: UInt64) {
        members[user]?.lastRead = offset
        members[user]?.receipt = offset
    }

    /// Opens an imported channel: memberships begin at its end, so that nothing before it can be recovered, and replies
    /// count as read (`PR3`).
    func open(distinctKey: DistinctKey?) {
        self.distinctKey = distinctKey
        for user in members.all.keys {
            guard var member = members.all[user] else { continue }
            member.since = top
            member.lastRead = min(member.lastRead, top)
            member.receipt = min(member.receipt, top)
            if member.visibleFrom > top { member.visibleFrom = offset(ofFirstMessageAt: member.joinedAt) }
            member.threadMarks = [:]
            members.insert(member, for: user)
        }
    }

    func setPush(_ push: ChannelPush, of user: UserID) { members[user]?.push = push }
    func setFrozen(_ value: Bool) { isFrozen = value }

    func setRole(_ role: MemberRole, of user: UserID) {
        members[user]?.role = role
        invitations[user]?.role = role
        updateOperators(for: user)
    }

    private func updateOperators(for user: UserID) {
        updateOperators(for: user, role: members[user]?.role ?? invitations[user]?.role)
    }

    /// - Parameter role: The role; `nil` for a user who is neither joined nor invited.
    private func updateOperators(for user: UserID, role: MemberRole?) {
        if role == .operator {
            operators.insert(user)
        } else if !operators.isEmpty {
            operators.remove(user)
        }
    }

    /// Appends a message. After a sender's first reply, everything up to it in the thread counts as read.
    func append(_ message: StoredMessage) {
        store.append(message)
        slowMode?.record(message)
        if message.appearsInChannel { autoUnhiders.recordMessage(at: message.offset, from: message.sender) }
        guard let parent = message.parent, let sender = message.sender else { return }
        if members[sender]?.threadMarks[parent] == nil { setThreadMark(message.offset, in: parent, of: sender) }
    }

    func update(_ updated: Event.MessageUpdated, at: Int64) { store.update(updated, at: at) }
    func delete(_ id: MessageID, at: Int64) -> MessageReactions? { store.delete(id, at: at) }
    func update(_ updated: Event.ThreadUpdated) { store.update(updated) }

    func react(to message: MessageID, _ key: String, by user: UserID, offset: UInt64, at: Int64) {
        store.react(to: message, key, by: user, offset: offset, at: at)
    }

    func removeReaction(_ key: String, from message: MessageID, by user: UserID, at: Int64) {
        store.removeReaction(key, from: message, by: user, at: at)
    }

    func mark(_ mark: Event.ReadMark) {
        if let thread = mark.thread {
            setThreadMark(mark.upTo, in: thread, of: mark.user)
        } else {
            members[mark.user]?.mark(upTo: mark.upTo)
        }
    }

    /// Changes the member in place, because there may be many markers.
    private func setThreadMark(_ offset: UInt64, in parent: MessageID, of user: UserID) {
        members[user]?.threadMarks[parent] = offset
        guard firstOffset != nil, let count = members[user]?.threadMarks.count,
            count >= Self.leastMarksPruned, count & (count - 1) == 0
        else { return }
        // Markers of parents that were removed. They are looked for each time their number has doubled.
        for parent in members[user]?.threadMarks.keys ?? [:].keys { store.need(parent) }
        let messages = messages
        let marks = members[user]?.threadMarks.filter { messages.place(of: $0.key) != nil }
        members[user]?.threadMarks = marks ?? [:]
    }

    private static let leastMarksPruned = 64
}

// MARK: pieces
extension ChannelState {
    /// Creates a channel without members and messages.
    convenience init(_ part: ChannelPart, _ sources: MessageSources) {
        self.init(channel: part.channel, createdAt: part.createdAt, top: part.top, shift: part.shift, sources)
        isFrozen = part.isFrozen
        messageSeconds = part.messageSeconds
        setSlowMode(part.slowModeSeconds ?? 0)
        retention = part.retention
        firstOffset = part.firstOffset
        store.reserve(part.messageCount)
        var lists = ChannelMorePart()
        (lists.invitations, lists.bans) = (part.invitations, part.bans)
        (lists.mutes, lists.threads) = (part.mutes, part.threads)
        lists.senders = part.senders
        load(lists)
    }

    func load(_ part: ChannelMorePart) {
        for invitation in part.invitations {
            invite(invitation.user, by: invitation.inviter, role: invitation.role, at: invitation.at)
        }
        for ban in part.bans { bans.impose(SanctionList.Entry(ban), on: ban.user) }
        for mute in part.mutes { mutes.impose(SanctionList.Entry(mute), on: mute.user) }
        for thread in part.threads { store.update(thread) }
        for sender in part.senders { slowMode?.recordMessage(of: sender.user, at: sender.at) }
    }

    func load(_ part: MemberPart) throws(StatePart.Problem) {
        guard members.all[part.user] == nil else { throw .repeated("member \(part.user) of \(id)") }
        members.insert(MemberState(part), for: part.user)
        updateOperators(for: part.user)
        if part.hidden == .hiddenAllowAutoUnhide {
            autoUnhiders.insert(part.user, since: top)
        } else if part.needsUnhideNotice, part.hidden == .unhidden {
            members[part.user]?.hidden = .hiddenAllowAutoUnhide
            autoUnhiders.insert(part.user, since: nil)
        }
    }

    func load(_ marks: [MemberPart.ThreadMark], of user: UserID) throws(StatePart.Problem) {
        guard members.all[user] != nil else { throw .unknownUser(user) }
        for mark in marks { members[user]?.threadMarks[mark.parent] = mark.upTo }
    }
}
