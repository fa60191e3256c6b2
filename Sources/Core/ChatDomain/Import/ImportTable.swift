import ChatModel

/// The imports under way, and the last ones that have ended (`PR3`). Changed only by `evolve`.
struct ImportTable {
    /// In the order in which they began; bounded by `FieldLimits.importsKept`.
    private(set) var runs: [ImportRun] = []
    /// How many hidden channels a user is a member of; no entry for zero. They count for `US4`.
    private var memberships = ShardedDictionary<UserID, Int>()

    subscript(id: String) -> ImportRun? { runs.first { $0.id == id } }

    /// The number of imports that have not ended.
    var activeCount: Int { runs.count { !$0.hasEnded } }

    /// Returns whether an import hides a channel with this id, which is then taken.
    func hides(_ id: ChannelID) -> Bool { channel(id) != nil }

    func channel(_ id: ChannelID) -> HiddenChannel? {
        for run in runs { if let channel = run.channels[id] { return channel } }
        return nil
    }

    /// Returns the number of hidden channels that a user will be a member of.
    func membershipCount(of user: UserID) -> Int { memberships[user] ?? 0 }

    // MARK: evolve

    mutating func start(_ started: Event.ImportStarted, at time: Int64) {
        if runs.count >= FieldLimits.importsKept, let oldest = runs.firstIndex(where: \.hasEnded) {
            runs.remove(at: oldest)
        }
        runs.append(ImportRun(started, at: time))
    }

    mutating func add(_ added: Event.ImportAdded, _ sources: MessageSources) {
        guard let run = self[added.id] else { return }
        for record in added.records {
            if let member = run.apply(record, sources) { countMember(member) }
        }
        run.accept(added.lastLine)
    }

    mutating func countMember(_ user: UserID) { memberships.change(user, default: 0) { $0 += 1 } }

    /// Takes a channel out of its import.
    mutating func remove(_ id: ChannelID, from importID: String) -> ChannelState? {
        guard let channel = self[importID]?.remove(id)?.state else { return nil }
        for user in channel.members.all.keys {
            let left = membershipCount(of: user) - 1
            memberships[user] = left > 0 ? left : nil
        }
        return channel
    }

    /// Ends the count of a deleted user, who is in no hidden channel any longer.
    mutating func forget(_ user: UserID) { memberships[user] = nil }

    func settle(_ settled: Event.ImportSettled, at time: Int64) { self[settled.id]?.settle(settled, at: time) }
}

// MARK: pieces
extension ImportTable {
    mutating func load(_ part: ImportPart) throws(StatePart.Problem) {
        guard self[part.id] == nil else { throw .repeated("import \(part.id)") }
        runs.append(ImportRun(part))
    }

    /// - Returns: Whether there is such an import.
    func load(_ part: ChannelPart, of importID: String, _ sources: MessageSources) -> Bool {
        guard let run = self[importID] else { return false }
        run.load(ChannelState(part, sources))
        return true
    }
}
