import ChatModel

/// Every upload that the chat knows, from its registration until its message or channel is gone, or until nobody has
/// sent it for a day.
struct FileTable {
    struct Entry {
        let file: UploadedFile
        /// Milliseconds since 1970.
        let at: Int64
        /// The one message it was sent with.
        var message: MessageID?

        /// Whether it waited too long for its message.
        func isExpired(at now: Int64) -> Bool { message == nil && now - at >= FieldLimits.unsentFileMilliseconds }
    }

    private var entries: [FileID: Entry] = [:]
    private var filesOfChannel: [ChannelID: Set<FileID>] = [:]
    private var unsentOfOwner: [UserID: Set<FileID>] = [:]
    /// All uploads in the order of time; what was sent or is gone is skipped, and taken off when it stands first.
    private var queue: [FileID] = []
    private var queueStart = 0
    /// Belong to nothing any more and still lie in the folder, oldest first.
    private(set) var orphans: [FileID] = []

    subscript(_ id: FileID) -> Entry? { entries[id] }

    /// For clearing the folder at the start of the server.
    var ids: Set<FileID> { Set(entries.keys) }

    /// Uploads of one person that wait for their message.
    func unsentCount(of owner: UserID, at now: Int64) -> Int {
        (unsentOfOwner[owner] ?? []).count { entries[$0]?.isExpired(at: now) == false }
    }

    /// What can be deleted from the folder, at most `limit` of them.
    func forgettable(at now: Int64, limit: Int) -> [FileID] {
        var found = Array(orphans.prefix(limit))
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
        entries[file.id] = Entry(file: file, at: at)
        filesOfChannel[file.channel, default: []].insert(file.id)
        unsentOfOwner[file.owner, default: []].insert(file.id)
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
            endWaiting(id, of: owner)
        }
    }

    /// Their message is deleted.
    mutating func orphan(_ files: [MessageFile]?) {
        for file in files ?? [] { if let id = file.id { orphan(id) } }
    }

    mutating func orphanAll(of channel: ChannelID) {
        for id in (filesOfChannel[channel] ?? []).sorted() { orphan(id) }
    }

    mutating func forget(_ ids: [FileID]) {
        let gone = Set(ids)
        for id in ids { remove(id) }
        orphans.removeAll(where: gone.contains)
    }

    private mutating func orphan(_ id: FileID) {
        guard entries[id] != nil else { return }
        remove(id)
        orphans.append(id)
    }

    private mutating func remove(_ id: FileID) {
        guard let file = entries.removeValue(forKey: id)?.file else { return }
        filesOfChannel[file.channel]?.remove(id)
        if filesOfChannel[file.channel]?.isEmpty ?? false { filesOfChannel[file.channel] = nil }
        endWaiting(id, of: file.owner)
    }

    private mutating func endWaiting(_ id: FileID, of owner: UserID) {
        unsentOfOwner[owner]?.remove(id)
        if unsentOfOwner[owner]?.isEmpty ?? false { unsentOfOwner[owner] = nil }
    }

    // MARK: pieces

    /// What waits for its message in the order of registration, then what was sent, by its id.
    var parts: [FilePart] {
        let waiting = queue[queueStart...].filter { entries[$0].map { $0.message == nil } ?? false }
        let sent = entries.filter { $0.value.message != nil }.keys.sorted()
        return (waiting + sent).compactMap { id in
            entries[id].map { FilePart(file: $0.file, at: $0.at, message: $0.message) }
        }
    }

    mutating func take(_ part: FilePart) throws(StatePart.Problem) {
        guard entries[part.file.id] == nil else { throw .repeated("file \(part.file.id)") }
        guard let message = part.message else { return add(part.file, at: part.at) }
        entries[part.file.id] = Entry(file: part.file, at: part.at, message: message)
        filesOfChannel[part.file.channel, default: []].insert(part.file.id)
    }

    mutating func take(orphans ids: [FileID]) { orphans += ids }
}
