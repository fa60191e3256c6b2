import ChatModel

/// The bans or mutes of a channel. They expire without an event, so callers pass the current time.
struct SanctionList {
    struct Entry: Equatable {
        var until: Int64
        var description: String?
        var at: Int64
        var by: UserID?
        /// Whether the user was neither a member nor invited, and so was not told.
        var isOutsider = false
    }

    private var entries = ShardedDictionary<UserID, Entry>()
    /// The size at which expired sanctions are dropped. It doubles after each pass, so the amortized cost is O(1) per
    /// sanction.
    private var pruneAt = 64

    func entry(of user: UserID, at now: Int64) -> Entry? {
        entries[user].flatMap { $0.until > now ? $0 : nil }
    }

    func active(at now: Int64) -> [UserID] {
        var active: [UserID] = []
        active.reserveCapacity(entries.count)
        for (user, entry) in entries where entry.until > now { active.append(user) }
        return active
    }

    /// Returns whether the list has space for a sanction of this user.
    func hasRoom(for user: UserID, at now: Int64, limit: Int = FieldLimits.sanctionsPerChannel) -> Bool {
        entries.count < limit || entry(of: user, at: now) != nil
            || entries.values.count(where: { $0.until > now }) < limit
    }

    /// Returns the sanctions that have not expired, sorted by user; built one at a time.
    func parts(at now: Int64) -> some Sequence<SanctionPart> {
        let entries = entries
        return entries.filter { $0.value.until > now }.map(\.key).sorted().lazy.compactMap { user in
            entries[user].map { SanctionPart(user, $0) }
        }
    }

    func part(of user: UserID, at now: Int64) -> SanctionPart? {
        entry(of: user, at: now).map { SanctionPart(user, $0) }
    }

    /// Returns whether the user has a sanction, perhaps an expired one.
    func has(_ user: UserID) -> Bool { entries[user] != nil }

    /// Returns whether the list names a user, as sanctioned or as the author of a sanction, expired ones included.
    func names(_ user: UserID) -> Bool {
        entries[user] != nil || entries.contains { $0.value.by == user }
    }

    // MARK: evolve

    mutating func impose(_ entry: Entry, on user: UserID) {
        entries[user] = entry
        guard entries.count >= pruneAt else { return }
        entries.removeAll { $0.until <= entry.at }
        pruneAt = max(64, 2 * entries.count)
    }

    /// Lifts a deleted user's sanction, and names the alias as the author of others.
    mutating func replace(_ user: UserID, by alias: UserID) {
        lift(from: user)
        for (sanctioned, entry) in entries where entry.by == user { entries[sanctioned]?.by = alias }
    }

    mutating func lift(from user: UserID) { entries[user] = nil }
}

extension SanctionList.Entry {
    init(_ part: SanctionPart) {
        self.init(
            until: part.until, description: part.description, at: part.at, by: part.by, isOutsider: part.isOutsider)
    }

    init(_ sanctioned: Event.Sanctioned, _ record: Record) {
        self.init(
            until: sanctioned.until, description: sanctioned.description, at: record.at, by: record.by)
        if case .outsiderBanned = record.event { isOutsider = true }
    }
}

extension SanctionPart {
    fileprivate init(_ user: UserID, _ entry: SanctionList.Entry) {
        self.init(
            user: user, until: entry.until, description: entry.description, at: entry.at, by: entry.by,
            isOutsider: entry.isOutsider)
    }
}
