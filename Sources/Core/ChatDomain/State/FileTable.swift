import ChatModel
import DequeModule

/// The uploads known to the chat. An upload stays in the table until its message or channel is deleted, or for a day if
/// it is never sent. Files that leave the table are deleted from the folder immediately; unknown files are deleted at
/// startup.
///
/// When a channel with many files is deleted, the files are *released*: lookups no longer find them, and later turns
/// remove them from the table. Until then they count towards their owners' bytes. Snapshots omit them.
struct FileTable {
    /// The maximum number of files removed together with their channel, and per later turn.
    static let removalBatchSize = 100

    struct Entry {
        let file: UploadedFile
        /// When the file was uploaded, in milliseconds since 1970.
        let uploadedAt: Int64
        /// The message that contains the file; always `nil` in an ephemeral channel, which stores no messages.
        var message: MessageID?

        /// Returns whether the upload was not sent in time.
        func isExpired(at now: Int64) -> Bool {
            message == nil && now >= uploadedAt.addingReportingOverflow(FieldLimits.unsentFileMilliseconds).partialValue
        }
    }

    private var entries = ShardedDictionary<FileID, Entry>()
    private var filesByChannel = ShardedDictionary<ChannelID, Set<FileID>>()
    /// The released files of each deleted channel, in the order of deletion. No set is empty.
    private var released: Deque<Set<FileID>> = []
    private var filesByOwner = ShardedDictionary<UserID, Set<FileID>>()
    private var unsentByOwner = ShardedDictionary<UserID, Set<FileID>>()
    /// The total size in bytes of each user's uploads, sent or not.
    private var bytesByOwner = ShardedDictionary<UserID, Int64>()
    /// All uploads in chronological order. Sent and removed uploads are skipped, and dropped when they reach the front.
    private var queue: [FileID] = []
    private var queueStart = 0

    subscript(_ id: FileID) -> Entry? { entries[id].flatMap { isReleased(id, $0) ? nil : $0 } }

    /// Returns whether the id belongs to a file, including a released one.
    func contains(_ id: FileID) -> Bool { entries[id] != nil }

    var hasReleased: Bool { !released.isEmpty }

    /// The released files to remove from the table next.
    var nextReleased: [FileID] { released.first?.least(Self.removalBatchSize, by: <) ?? [] }

    private func isReleased(_ id: FileID, _ entry: Entry) -> Bool {
        // A later channel with the same id has different files.
        !released.isEmpty && !(filesByChannel[entry.file.channel]?.contains(id) ?? false)
    }

    /// Returns the ids of an export's files, possibly with those of released ones, in no particular order.
    func ids(in scope: ExportScope) -> AnyIterator<FileID> {
        switch scope {
        case .everything: AnyIterator(entries.lazy.map(\.key).makeIterator())
        case .user(let id): AnyIterator((filesByOwner[id] ?? []).makeIterator())
        case .channel(let id): AnyIterator((filesByChannel[id] ?? []).makeIterator())
        }
    }

    /// The ids of all files, for cleaning up the folder at startup.
    var ids: Set<FileID> { Set(entries.keys) }

    var hasUnsent: Bool { !unsentByOwner.isEmpty }

    /// Returns the number of a user's unsent uploads in the channels selected by `isCounted`.
    func unsentCount(of owner: UserID, at now: Int64, in isCounted: (ChannelID) -> Bool) -> Int {
        (unsentByOwner[owner] ?? []).count { id in
            self[id].map { !$0.isExpired(at: now) && isCounted($0.file.channel) } ?? false
        }
    }

    /// Returns all uploads of a user that are not part of a message, sorted by id.
    func unsent(of owner: UserID) -> [FileID] { unsentByOwner[owner]?.sorted() ?? [] }

    func bytes(of owner: UserID) -> Int64 { bytesByOwner[owner] ?? 0 }

    /// Returns uploads that were not sent in time, oldest first.
    func expired(at now: Int64, limit: Int) -> [FileID] {
        var found: [FileID] = []
        for id in queue[queueStart...] {
            guard found.count < limit else { break }
            guard let entry = entries[id], entry.message == nil else { continue }
            guard entry.isExpired(at: now) else { break }
            found.append(id)
        }
        return found
    }

    // MARK: evolve

    mutating func add(_ file: UploadedFile, at: Int64) {
        insert(Entry(file: file, uploadedAt: at))
        unsentByOwner.change(file.owner, default: []) { $0.insert(file.id) }
        queue.append(file.id)
        while queueStart < queue.count, entries[queue[queueStart]].map({ $0.message != nil }) ?? true {
            queueStart += 1
        }
        if queueStart > queue.count / 2 {
            queue.removeSubrange(..<queueStart)
            queueStart = 0
        }
    }

    mutating func attach(_ files: [MessageFile]?, to message: MessageID) {
        for file in files ?? [] {
            guard let id = file.id, let owner = entries[id]?.file.owner else { continue }
            entries[id]?.message = message
            removeUnsent(id, of: owner)
        }
    }

    /// Removes the files of a deleted channel, or releases them if there are many.
    ///
    /// - Returns: The removed files, sorted by id.
    mutating func removeAll(of channel: ChannelID) -> [FileID] {
        guard let files = filesByChannel[channel] else { return [] }
        guard files.count > Self.removalBatchSize else { return remove(files.sorted()) }
        filesByChannel[channel] = nil
        released.append(files)
        return []
    }

    /// - Returns: The files that were in the table.
    mutating func remove(_ ids: [FileID]) -> [FileID] { ids.filter { remove($0) } }

    /// Names the alias of a deleted user as the owner of uploads that were sent.
    mutating func replaceOwner(of ids: [FileID], by alias: UserID) {
        for id in ids {
            guard let entry = entries[id], entry.file.owner != alias else { continue }
            disown(entry.file)
            insert(Entry(file: entry.file.owned(by: alias), uploadedAt: entry.uploadedAt, message: entry.message))
        }
    }

    private mutating func insert(_ entry: Entry) {
        let file = entry.file
        entries[file.id] = entry
        filesByChannel.change(file.channel, default: []) { $0.insert(file.id) }
        filesByOwner.change(file.owner, default: []) { $0.insert(file.id) }
        bytesByOwner[file.owner] = bytes(of: file.owner).addingReportingOverflow(max(0, file.size)).partialValue
    }

    private mutating func disown(_ file: UploadedFile) {
        filesByOwner[file.owner]?.remove(file.id)
        if filesByOwner[file.owner]?.isEmpty ?? false { filesByOwner[file.owner] = nil }
        let left = bytes(of: file.owner) &- max(0, file.size)
        bytesByOwner[file.owner] = left > 0 ? left : nil
    }

    private mutating func remove(_ id: FileID) -> Bool {
        guard let file = entries.removeValue(forKey: id)?.file else { return false }
        if filesByChannel[file.channel]?.remove(id) == nil { removeReleased(id) }
        if filesByChannel[file.channel]?.isEmpty ?? false { filesByChannel[file.channel] = nil }
        disown(file)
        removeUnsent(id, of: file.owner)
        return true
    }

    private mutating func removeReleased(_ id: FileID) {
        // Almost always the first set, because its files are removed next.
        guard let index = released.firstIndex(where: { $0.contains(id) }) else { return }
        released[index].remove(id)
        if released[index].isEmpty { released.remove(at: index) }
    }

    private mutating func removeUnsent(_ id: FileID, of owner: UserID) {
        unsentByOwner[owner]?.remove(id)
        if unsentByOwner[owner]?.isEmpty ?? false { unsentByOwner[owner] = nil }
    }

    // MARK: snapshots

    /// The unsent uploads in the order of registration, followed by the sent ones by id; built one at a time.
    var parts: some Sequence<FilePart> {
        let unsent = queue[queueStart...].filter { id in self[id].map { $0.message == nil } ?? false }
        let sent = entries.filter { $0.value.message != nil && !isReleased($0.key, $0.value) }.map(\.key).sorted()
        return (unsent + sent).lazy.compactMap { part($0) }
    }

    func part(_ id: FileID) -> FilePart? {
        self[id].map { FilePart(file: $0.file, at: $0.uploadedAt, message: $0.message) }
    }

    mutating func load(_ part: FilePart) throws(StatePart.Problem) {
        guard entries[part.file.id] == nil else { throw .repeated("file \(part.file.id)") }
        guard let message = part.message else { return add(part.file, at: part.at) }
        insert(Entry(file: part.file, uploadedAt: part.at, message: message))
    }
}
