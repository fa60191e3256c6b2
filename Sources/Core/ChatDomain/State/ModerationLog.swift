import ChatModel

/// The last moderating actions in a channel or by the server, oldest first (`MO6`). A projection of other events, kept
/// beyond the journal's frames by snapshots.
struct ModerationLog {
    private(set) var entries: [ModerationEntry] = []
    /// The number of entries that were dropped.
    private(set) var dropped: UInt64 = 0
    let limit: Int

    init(limit: Int) { self.limit = limit }

    /// Returns whether an entry names a user.
    func names(_ user: UserID) -> Bool { entries.contains { $0.userID == user || $0.by == user } }

    /// The entries in pieces for a snapshot, of one log.
    func parts(of channel: ChannelID?) -> some Sequence<ModerationPart> {
        let dropped = dropped
        return entries.enumerated().lazy.map { index, entry in
            ModerationPart(log: channel, number: dropped + UInt64(index), entry: entry)
        }
    }

    // MARK: evolve

    mutating func append(_ entry: ModerationEntry) {
        entries.append(entry)
        // Dropping many at once makes each addition cheap.
        guard entries.count >= limit + limit / 4 else { return }
        let count = entries.count - limit
        entries.removeFirst(count)
        dropped += UInt64(count)
    }

    mutating func load(_ part: ModerationPart) {
        if entries.isEmpty { dropped = part.number }
        entries.append(part.entry)
    }

    /// Lets the alias of a deleted user take the user's place; what was written about the user is dropped.
    mutating func replace(_ user: UserID, by alias: UserID) {
        for index in entries.indices {
            if entries[index].by == user { entries[index].by = alias }
            guard entries[index].userID == user else { continue }
            (entries[index].userID, entries[index].description) = (alias, nil)
        }
    }
}

/// The place of an entry in a log, counted from the first that was ever made; later entries come first.
struct ModerationPlace: ListPlace {
    let number: UInt64

    static func < (a: Self, b: Self) -> Bool { a.number > b.number }

    var size: Int { 8 }
    var components: [String] { [String(number, radix: 36)] }

    init(number: UInt64) { self.number = number }

    init?(components: [Substring]) {
        guard components.count == 1, let number = UInt64(components[0], radix: 36) else { return nil }
        self.number = number
    }
}

extension ChatState {
    func load(_ part: ModerationPart) throws(StatePart.Problem) {
        guard let id = part.log else { return moderation.log.load(part) }
        try knownChannel(id).moderationLog.load(part)
    }

    /// Adds a record to the logs if it is a moderating action. Called after `evolve` has applied it.
    func recordModeration(_ record: Record) {
        guard let (entry, channel) = moderationEntry(of: record) else { return }
        if let channel { channels[channel]?.moderationLog.append(entry) }
        if channel == nil || record.by == nil { moderation.log.append(entry) }
    }

    private func moderationEntry(of record: Record) -> (ModerationEntry, ChannelID?)? {
        func entry(
            _ action: String, in channel: ChannelID? = nil, _ user: UserID? = nil, message: MessageID? = nil,
            report: MessageID? = nil, until: Int64? = nil, description: String? = nil
        ) -> (ModerationEntry, ChannelID?) {
            var entry = ModerationEntry(action: action, at: record.at, by: record.by)
            (entry.channelID, entry.userID, entry.messageID) = (channel, user, message)
            (entry.reportID, entry.until, entry.description) = (report?.description, until, description)
            return (entry, channel)
        }
        switch record.event {
        case .memberBanned(let it), .outsiderBanned(let it):
            return entry(BanMember.method, in: it.channel, it.user, until: it.until, description: it.description)
        case .memberMuted(let it):
            return entry(MuteMember.method, in: it.channel, it.user, until: it.until, description: it.description)
        case .memberUnbanned(let id, let user), .outsiderUnbanned(let id, let user):
            return entry(UnbanMember.method, in: id, user)
        case .memberUnmuted(let id, let user): return entry(UnmuteMember.method, in: id, user)
        case .memberLeft(let id, let user) where user != record.by:
            // Guests and deleted users leave by themselves.
            if record.by == nil, user.isGuest || users[user]?.erasure != nil { return nil }
            return entry(RemoveMember.method, in: id, user)
        case .operatorAdded(let id, let user): return entry(AddOperators.method, in: id, user)
        case .operatorRemoved(let id, let user): return entry(RemoveOperators.method, in: id, user)
        case .channelFrozen(let id): return entry(FreezeChannel.method, in: id)
        case .channelUnfrozen(let id): return entry(UnfreezeChannel.method, in: id)
        case .messageDeleted(let id, let message, _):
            guard let author = author(of: message, in: id, otherThan: record) else { return nil }
            return entry(DeleteMessage.method, in: id, author, message: message)
        case .messageUpdated(let it):
            guard let author = author(of: it.id, in: it.channel, otherThan: record) else { return nil }
            return entry(UpdateMessage.method, in: it.channel, author, message: it.id)
        case .userBanned(let it): return entry(BanUser.method, it.user, until: it.until, description: it.description)
        case .userMuted(let it): return entry(MuteUser.method, it.user, until: it.until, description: it.description)
        case .userUnbanned(let user): return entry(UnbanUser.method, user)
        case .userUnmuted(let user): return entry(UnmuteUser.method, user)
        case .userDeactivated(let user): return entry(DeactivateUser.method, user)
        case .userActivated(let user): return entry(ActivateUser.method, user)
        case .userDisconnected(let user): return entry(DisconnectUser.method, user)
        case .channelUpdated(let it):
            guard let seconds = it.slowModeSeconds else { return nil }
            return entry(UpdateChannel.method, in: it.channel, description: "slow_mode_seconds \(seconds)")
        case .textRulesSet(let rules): return entry(SetTextRules.method, description: Self.list(rules.map(\.id)))
        case .textRulesDeleted(let ids): return entry(DeleteTextRules.method, description: Self.list(ids))
        case .rolesSet(let changes):
            let names = changes.map { $0.role.rawValue + ($0.customType.map { " of \($0)" } ?? "") }
            return entry(SetRole.method, description: Self.list(names))
        case .hookSet(let hook): return entry(SetHook.method, description: hook == nil ? "removed" : nil)
        case .settingsChanged(let values): return entry(UpdateSettings.method, description: Self.list(values.names))
        case .reportSettled(let it):
            let action = it.state == .dismissed ? DismissReport.method : ResolveReport.method
            guard let report = reports[it.id] else { return entry(action, report: it.id) }
            // The note goes with the user whom it is about.
            let user = subject(of: report)
            return entry(action, user, report: it.id, description: user == nil && report.isAboutUser ? nil : it.note)
        case .reportDeleted(let id, let isOver): return isOver ? nil : entry(DeleteReport.method, report: id)
        default: return nil
        }
    }

    /// The names of what was changed, as many as fit a description.
    private static func list(_ names: [String]) -> String {
        var text = ""
        for (index, name) in names.enumerated() {
            let longer = text.isEmpty ? name : "\(text), \(name)"
            // Leaves room for the count.
            guard longer.utf8.count <= FieldLimits.descriptionBytes - 32 else {
                return "\(text) and \(names.count - index) more"
            }
            text = longer
        }
        return text
    }

    /// Returns the user whom a report is about; `nil` if it is about a channel, or the message is gone.
    private func subject(of report: Report) -> UserID? {
        guard let message = report.messageID, let channel = report.channelID else { return report.userID }
        return channels[channel]?.message(message)?.sender
    }

    /// Returns the author of a message that someone else changed; `nil` for one's own messages, those of the app, and those
    /// whose time was over.
    private func author(of message: MessageID, in id: ChannelID, otherThan record: Record) -> UserID? {
        guard let message = channels[id]?.message(message), let author = message.sender, author != record.by,
            message.expiresAt.map({ $0 > record.at }) ?? true, users[author]?.erasure == nil
        else { return nil }
        return author
    }
}

extension Report {
    fileprivate var isAboutUser: Bool { userID != nil || messageID != nil }
}
