import ChatModel

/// The complete state of the chat, resulting from all its events. Owned by one queue.
///
/// A class, because each command reads it in several steps, and passing a struct would retain and release all its
/// tables each time.
///
/// Channels and users are the aggregates: a decision reads the channel, the acting user and the users named in the
/// command. Everything else, such as a user's channels, is a projection of events.
package final class ChatState {
    var users = ShardedDictionary<UserID, UserState>()
    private(set) var channels = ShardedDictionary<ChannelID, ChannelState>()
    private(set) var distinctChannels = ShardedDictionary<DistinctKey, ChannelID>()
    private(set) var publicChannels = ShardedDictionary<ChannelID, Void>()
    /// Projection: private channels whose guests are departing.
    private(set) var vacating: Set<ChannelID> = []
    /// Projection: the number of existing channels by creator; no entry for zero.
    private var channelsByCreator = ShardedDictionary<UserID, Int>()
    private(set) var emojis = EmojiList()
    var reports = ReportList()
    /// Sorted by id; bounded by `FieldLimits.webhooks`.
    package private(set) var webhooks: [WebhookTarget] = []
    /// The app's hook (`MO4`).
    package private(set) var hook: HookTarget?
    /// The settings changed at run time, which override the configuration.
    private(set) var overrides = SettingValues()
    /// Projection: the owner of each device.
    var deviceOwners = ShardedDictionary<Device, UserID>()
    var files = FileTable()
    /// The files that the last record removed from `files`; an effect deletes them from the folder.
    var removedFiles: [FileID] = []
    /// Projection: all guests; bounded by `GuestSettings.limit`.
    var guests = SortedList<UserID>()
    /// The channel deleted last, because its event and response are built after the deletion.
    private(set) var lastDeleted: DeletedChannel?
    /// Large objects that the last record removed or finished with.
    private(set) var discarded: [DiscardedObject] = []
    private(set) var membershipCleanup = MembershipCleanup()
    /// The imports under way with the channels that they hide, and the last ones that have ended.
    var imports = ImportTable()
    /// The users who were deleted, and those of them whose traces are still being replaced.
    var erased = ErasedUsers()
    var moderation = AppModeration()
    var blockLists = BlockLists()
    var textRules = TextRuleTable()
    var roles = RoleTable()
    var beingErased: Set<UserID> = []
    /// The time of the last record, in milliseconds since 1970.
    package private(set) var lastAt: Int64 = 0

    /// The hash of all client ids.
    private(set) var clientIDHash: ClientIDHash
    /// The blocks that were read from disk.
    package let blocks: BlockCache

    /// Where messages are found that are not in memory; `nil` unless the state is sparse.
    private let runs: RunSource?

    /// - Parameters:
    ///   - hashKey: The key of the hashes of client ids, unless a snapshot has one.
    ///   - isSparse: Whether messages stay on disk until a record changes them. Such a state only serves to replay records
    ///     and write snapshots; it must decide and answer nothing.
    package init(blocks: BlockCache = BlockCache(), hashKey: HashKey = .ofProcess, isSparse: Bool = false) {
        self.blocks = blocks
        clientIDHash = ClientIDHash(hashKey)
        runs = isSparse ? blocks.reader.map { RunSource($0) } : nil
    }

    private var sources: MessageSources { MessageSources(hash: clientIDHash, runs: runs) }
    /// The first run that a sparse state could not read; it is worthless then.
    package var unreadableRun: BlockReference? { runs?.unreadable }

    package var userCount: Int { users.count }
    package var channelCount: Int { channels.count }

    /// A hash that identifies the version of the emoji list (`R1`).
    package var emojiHash: String { emojis.hash }

    /// Returns whether a user exists. One who is being deleted does not.
    package func knows(_ user: UserID) -> Bool { users[user].map { $0.erasure == nil } ?? false }

    package func knows(_ channel: ChannelID) -> Bool { channels[channel] != nil }

    /// Returns the number of existing channels that a user created, including those they have left.
    func channelsCreated(by user: UserID) -> Int { channelsByCreator[user] ?? 0 }

    /// Applies an event. Cannot fail, because events come from `decide` or from a log of such events.
    package func evolve(_ record: Record) {
        lastAt = max(lastAt, record.at)
        if !removedFiles.isEmpty { removedFiles = [] }
        if !discarded.isEmpty { discarded = [] }
        if !membershipCleanup.isEmpty { continueMembershipCleanup(at: record.at) }
        let channelOffset = record.positions.first?.offset ?? 0
        if let guest = record.by, guest.isGuest { users[guest]?.recordActivity(at: record.at) }
        switch record.event {
        case .userCreated(let created): create(created, at: record.at)
        case .guestSeen(let user): users[user]?.recordActivity(at: record.at)
        case .guestRemoved(let user): removeGuest(user)
        case .userDeleted(let deleted): erase(deleted)
        case .userReplaced(let replaced): replace(replaced, at: record.at)
        case .userForgotten(let user, let alias):
            forget(user)
            // What the server did while the channels were cleared.
            moderation.log.replace(user, by: alias)
        case .usersSeen(let sightings):
            for sighting in sightings { users[sighting.user]?.recordSighting(leftAt: sighting.leftAt) }
        case .userUpdated(let updated): users[updated.id]?.update(updated)
        case .preferencesChanged(let user, let autoAccept): users[user]?.setAutoAccept(autoAccept)
        case .userDisconnected: break
        case .userDeactivated(let user): users[user]?.setActive(false)
        case .userActivated(let user): users[user]?.setActive(true)
        case .tokensRevoked(let user, let before): users[user]?.revokeTokens(before: before)
        case .pushPreferenceChanged(let user, let push): users[user]?.setPush(push)
        case .deviceRegistered(let user, let device): register(device, of: user)
        case .deviceUnregistered(let user, let device): unregister(device, of: user)
        case .channelPushChanged(let id, let user, let push): channels[id]?.setPush(push, of: user)
        case .channelCreated(let created):
            channels[created.id] = ChannelState(created, at: record.at, offset: channelOffset, sources)
            if let key = created.distinctKey { distinctChannels[key] = created.id }
            updateVisibility(of: created.id)
            if let creator = created.creator {
                users[creator]?.join(created.id)
                countChannels(of: creator, 1)
            }
            return
        case .distinctEnded(let id):
            if let key = channels[id]?.distinctKey { distinctChannels[key] = nil }
            channels[id]?.endDistinct()
        case .invited(let id, let user, let inviter, let role):
            channels[id]?.invite(user, by: inviter, role: role, at: record.at)
            users[user]?.invite(to: id, by: inviter)
        case .invitationAccepted: break  // The accompanying `memberJoined` ends the invitation.
        case .invitationDeclined(let id, let user, _, _), .invitationCancelled(let id, let user, _, _):
            channels[id]?.dropInvitation(user)
            users[user]?.leave(id)
        case .memberJoined(let joined):
            channels[joined.channel]?.join(joined, at: record.at, offset: channelOffset)
            users[joined.user]?.join(joined.channel)
        case .memberLeft(let id, let user):
            channels[id]?.leave(user)
            users[user]?.leave(id)
            if !vacating.isEmpty { updateVacating(id) }
        case .operatorAdded(let id, let user): channels[id]?.setRole(.operator, of: user)
        case .operatorRemoved(let id, let user): channels[id]?.setRole(.member, of: user)
        case .memberBanned(let banned), .outsiderBanned(let banned):
            channels[banned.channel]?.ban(banned.user, SanctionList.Entry(banned, record))
            users[banned.user]?.leave(banned.channel)
            if !vacating.isEmpty { updateVacating(banned.channel) }
        case .memberUnbanned(let id, let user), .outsiderUnbanned(let id, let user): channels[id]?.unban(user)
        case .memberMuted(let muted):
            channels[muted.channel]?.mute(muted.user, SanctionList.Entry(muted, record))
        case .memberUnmuted(let id, let user): channels[id]?.unmute(user)
        case .userBanned, .userUnbanned, .userMuted, .userUnmuted, .userBlocked, .userUnblocked, .reportCreated,
            .reportSettled, .reportDeleted, .textRulesSet, .textRulesDeleted, .rolesSet:
            moderate(record)
        case .channelUpdated(let updated):
            if updated.isTakenOver, let creator = channels[updated.channel]?.createdBy {
                countChannels(of: creator, -1)
            }
            channels[updated.channel]?.update(updated)
            updateVisibility(of: updated.channel)
        case .metadataSet(let id, let metadata): channels[id]?.setMetadata(metadata)
        case .metadataDeleted(let id, let keys): channels[id]?.deleteMetadata(keys)
        case .channelDeleted(let id): delete(id)
        case .channelFrozen(let id): channels[id]?.setFrozen(true)
        case .channelUnfrozen(let id): channels[id]?.setFrozen(false)
        case .channelHidden(let hidden):
            channels[hidden.channel]?.hide(hidden.state, for: hidden.user)
            if let start = hidden.visibleFrom { channels[hidden.channel]?.resetHistory(of: hidden.user, to: start) }
        case .channelUnhidden(let id, let user): channels[id]?.hide(.unhidden, for: user)
        case .historyReset(let id, let user, let start): channels[id]?.resetHistory(of: user, to: start)
        case .messageSent(let sent):
            channels[sent.channel]?.append(StoredMessage(sent, offset: channelOffset, at: record.at))
            if let hash = sent.sentContent { channels[sent.channel]?.setSentContent(hash, of: sent.id) }
            files.attach(sent.extras?.files, to: sent.id)
        case .messageUpdated(let updated): channels[updated.channel]?.update(updated, at: record.at)
        case .readMarked(let mark), .unreadMarked(let mark, _, _): channels[mark.channel]?.mark(mark)
        case .threadUpdated(let updated): channels[updated.channel]?.update(updated)
        case .messageDeleted(let id, let message, let uploads):
            removedFiles = files.remove(uploads ?? channels[id]?.uploads(of: message) ?? [])
            if let reactions = channels[id]?.delete(message, at: record.at) {
                discarded.append(DiscardedObject(reactions))
            }
        case .retentionSet(let id, let retention): channels[id]?.setRetention(retention)
        case .historyTrimmed(let trimmed):
            removedFiles = files.remove(trimmed.files)
            channels[trimmed.channel]?.trim(
                upTo: trimmed.upTo,
                keeping: trimmed.clientIDsFrom.map { .from($0) } ?? .since(record.at - Retention.clientIDMilliseconds))
        case .reactionAdded(let id, let message, let key, let user):
            channels[id]?.react(to: message, key, by: user, offset: channelOffset, at: record.at)
        case .reactionRemoved(let id, let message, let key, let user):
            channels[id]?.removeReaction(key, from: message, by: user, at: record.at)
        case .emojiCreated(let emoji): emojis.add(emoji)
        case .emojiDeleted(let emoji): emojis.remove(emoji.key)
        case .fileRegistered(let file): files.add(file, at: record.at)
        case .filesForgotten(let ids): removedFiles = files.remove(ids)
        case .settingsChanged(let values): overrides.merge(values)
        case .webhookSet(let target):
            webhooks = webhooks.filter { $0.webhook.id != target.webhook.id } + [target]
            webhooks.sort { $0.webhook.id < $1.webhook.id }
        case .webhookDeleted(let webhook): webhooks.removeAll { $0.webhook.id == webhook.id }
        case .hookSet(let target): hook = target
        case .importStarted(let started): imports.start(started, at: record.at)
        case .importAdded(let added): imports.add(added, sources)
        case .importSettled(let settled): settle(settled, at: record.at)
        }
        recordModeration(record)
        for position in record.positions {
            switch position.room {
            case .channel(let id): channels[id]?.advance(to: position.offset)
            case .inbox(let user): users[user]?.advance(to: position.offset)
            }
        }
    }
}

extension ChatState {
    struct DeletedChannel {
        let view: Channel
    }

    func countChannels(of creator: UserID, _ change: Int) {
        let count = channelsCreated(by: creator) + change
        channelsByCreator[creator] = count > 0 ? count : nil
    }

    private func updateVisibility(of id: ChannelID) {
        publicChannels[id] = channels[id]?.isPublic ?? false ? () : nil
        updateVacating(id)
    }

    private func updateVacating(_ id: ChannelID) {
        if channels[id]?.members.departingCount ?? 0 > 0 { vacating.insert(id) } else { vacating.remove(id) }
    }

    private func delete(_ id: ChannelID) {
        guard let channel = channels[id] else { return }
        lastDeleted = DeletedChannel(view: view(of: channel, for: nil))
        channels[id] = nil
        discarded.append(DiscardedObject(channel))
        updateVisibility(of: id)
        if let creator = channel.createdBy { countChannels(of: creator, -1) }
        removedFiles = files.removeAll(of: id)
        if let key = channel.distinctKey { distinctChannels[key] = nil }
        let members = channel.members.all
        if members.count <= MembershipCleanup.membersPerStep {
            for member in members.keys { users[member]?.leave(id) }
        } else {
            membershipCleanup.append(id, members)
        }
    }

    private func settle(_ settled: Event.ImportSettled, at time: Int64) {
        for opened in settled.opened {
            guard let channel = imports.remove(opened.channel, from: settled.id) else { continue }
            channel.open(distinctKey: opened.distinctKey)
            channels[channel.id] = channel
            if let key = opened.distinctKey { distinctChannels[key] = channel.id }
            updateVisibility(of: channel.id)
            if let creator = channel.createdBy { countChannels(of: creator, 1) }
            for user in channel.members.all.keys { users[user]?.join(channel.id) }
            for (user, invitation) in channel.invitations {
                users[user]?.invite(to: channel.id, by: invitation.inviter)
            }
        }
        for id in settled.discarded {
            if let channel = imports.remove(id, from: settled.id) { discarded.append(DiscardedObject(channel)) }
        }
        imports.settle(settled, at: time)
    }

    /// Updates further users' channel lists after large channels were deleted.
    private func continueMembershipCleanup(at time: Int64) {
        let (members, done) = membershipCleanup.step(at: time)
        // A channel with the same id may have been created since.
        for (user, channel) in members where channels[channel]?.members.all[user] == nil {
            users[user]?.endMembership(in: channel)
        }
        if let done { discarded.append(done) }
    }
}

// MARK: pieces
extension ChatState {
    package func load(_ part: StatePart) throws(StatePart.Problem) {
        switch part {
        case .app(let app):
            lastAt = app.lastAt
            emojis = EmojiList(app.emojis)
            webhooks = app.webhooks
            hook = app.hook
            overrides = app.overrides
            if let key = app.hashKey { clientIDHash = ClientIDHash(key) }
        case .users(let parts): for part in parts { try load(part) }
        case .files(let parts): for part in parts { try files.load(part) }
        case .orphans: break
        case .reports(let parts): for part in parts { reports.load(part) }
        case .channel(let part): try load(part)
        case .members(let id, let parts):
            let channel = try knownChannel(id)
            let isHidden = imports.hides(id)
            for part in parts {
                let user = try knownUser(part.user)
                if isHidden { imports.countMember(user.id) } else { user.join(id) }
                try channel.load(part)
            }
            updateVacating(id)
        case .messages(let id, let parts):
            try knownChannel(id).load(parts)
            imports.channel(id)?.indexLast(parts.ids)
        case .emojis(let more): for emoji in more { emojis.add(emoji) }
        case .channelMore(let id, let part):
            try knownChannel(id).load(part)
            try load(part.invitations, of: id)
        case .threadMarks(let id, let user, let marks): try knownChannel(id).load(marks, of: user)
        case .reactions(let id, let place, let part): try knownChannel(id).load(part, at: place)
        case .imports(let parts): for part in parts { try imports.load(part) }
        case .blocks(let id, let parts): try knownChannel(id).load(parts, from: blocks)
        case .runs(let id, let first, let parts):
            // Only a sparse state leaves them on disk.
            guard runs != nil else { throw .misplacedRun(id) }
            try knownChannel(id).load(parts, first: first)
        case .erased(let users): for user in users { erased.add(user) }
        case .appSanctions(let part): moderation.load(part)
        case .textRules(let rules): textRules.load(rules)
        case .roles(let parts): roles.load(parts)
        case .moderationLog(let parts): for part in parts { try load(part) }
        case .blockLists(let parts): for part in parts { blockLists.block(part.blocked, by: part.user, at: part.at) }
        }
    }

    /// Invitations to a channel that is still hidden reach their users when it is opened.
    private func load(_ invitations: [InvitationPart], of id: ChannelID) throws(StatePart.Problem) {
        let isHidden = imports.hides(id)
        for invitation in invitations {
            let user = try knownUser(invitation.user)
            if !isHidden { user.invite(to: id, by: invitation.inviter) }
        }
    }

    private func load(_ part: ChannelPart) throws(StatePart.Problem) {
        let id = part.channel.id
        guard channels[id] == nil, !imports.hides(id) else { throw .repeated("channel \(id)") }
        guard part.top <= StatePart.lastOffset, part.firstOffset ?? 0 <= StatePart.lastOffset else {
            throw .exhausted("\(id)")
        }
        if let importID = part.importID {
            guard imports.load(part, of: importID, sources) else { throw .unknownImport(importID) }
            return try load(part.invitations, of: id)
        }
        channels[id] = ChannelState(part, sources)
        updateVisibility(of: id)
        if let creator = part.channel.creator { countChannels(of: creator, 1) }
        if let key = part.channel.distinctKey { distinctChannels[key] = id }
        try load(part.invitations, of: id)
    }

    func knownChannel(_ id: ChannelID) throws(StatePart.Problem) -> ChannelState {
        guard let channel = channels[id] ?? imports.channel(id)?.state else { throw .unknownChannel(id) }
        return channel
    }
}
