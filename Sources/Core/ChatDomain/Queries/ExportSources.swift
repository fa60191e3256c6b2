import ChatModel

// The entries that a walk through an export examines, in no particular order; nil for those without a line.

func entryKeys<Entries: Sequence>(
    of entries: Entries, _ key: @escaping (Entries.Element) -> String?
) -> AnyIterator<String?> {
    var entries = entries.makeIterator()
    return AnyIterator { entries.next().map(key) }
}

extension FileTable {
    func keys(in scope: ExportScope) -> AnyIterator<String?> {
        entryKeys(of: ids(in: scope), \.description)
    }
}

extension ReportList {
    /// Returns the places of reports, among which are those of an export; ascending.
    func places(in scope: ExportScope) -> [ReportPlace] {
        if case .user(let id) = scope { places(of: id) } else { places }
    }
}

extension ChannelState {
    /// The joined and invited users.
    var people: AnyIterator<String?> {
        var members = members.makeIterator()
        var invited = invitations.makeIterator()
        return AnyIterator { (members.next()?.key ?? invited.next()?.key).map(\.rawValue) }
    }

    /// Returns the members whose read markers are before an offset.
    func readers(before end: UInt64) -> AnyIterator<String?> {
        entryKeys(of: members) { $0.value.lastRead < end ? $0.key.rawValue : nil }
    }

    /// The parents of the threads with a title or data.
    var titledThreads: AnyIterator<String?> {
        entryKeys(of: threads) { $0.value.title != nil || $0.value.data != nil ? $0.key.description : nil }
    }

    /// Returns the title and data of a thread.
    ///
    /// - Parameter end: The offset after which a parent is not exported.
    func threadPart(_ parent: MessageID, upTo end: UInt64) -> ThreadPart? {
        guard let thread = threads[parent], thread.title != nil || thread.data != nil else { return nil }
        if let place = messages.place(of: parent), messages.offset(at: place) > end { return nil }
        return ThreadPart(parent: parent, title: thread.title, data: thread.data)
    }

    /// Returns whether a user's export may have lines about the channel.
    func mayConcern(_ user: UserID) -> Bool {
        members[user] != nil || invitations[user] != nil || bans.has(user) || mutes.has(user)
            || messages.number(of: user) != nil || hasReactions
    }
}
