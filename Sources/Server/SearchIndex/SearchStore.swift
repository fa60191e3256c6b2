import ChatDomain
import ChatEngine
import ChatModel
import SearchText

/// The words of all messages, in an FTS5 table of SQLite.
///
///     row id: channel number << 40 | offset of the message
///
/// A search thus reads only the ranges of the channels that its caller may read, newest first. The table also keeps the
/// folded words of each message, because removing a message from the index needs them.
///
/// A projection of the chat: whatever is wrong with the file, the answer is to make it anew. Used on one queue only.
final class SearchStore {
    /// Incremented when folding, the division into words or the tables change.
    static let version: Int64 = 1
    private static let offsetBits: Int64 = 40
    private static let numberLimit: Int64 = 1 << 22
    /// Statements of one range and lookup; each looks at `windowOffsets` offsets.
    private static let windowsPerRange = 4
    private static let windowOffsets: UInt64 = 262_144
    private static let cachedRooms = 100_000

    let database: Database
    private let insertLine: Statement
    private let deleteLine: Statement
    private let matchLines: Statement
    private let roomNumber: Statement
    private let insertRoom: Statement
    private let deleteRoom: Statement
    private let insertGone: Statement
    private let nextGone: Statement
    private let deleteGone: Statement
    private let linesOfRoom: Statement
    private let setStale: Statement
    private let nextStale: Statement
    private let countStale: Statement
    private let staleOffset: Statement
    private let setProgress: Statement
    private var numbers: [SearchRoom: Int64] = [:]

    /// - Parameter path: nil for an index in memory.
    /// - Throws: If the file is damaged or of another version, or the disk cannot be used.
    init(_ path: String?) throws(DatabaseError) {
        database = try Database(path)
        // A checkpoint syncs; in between, a power failure may lose transactions, but never half of one.
        try database.execute(
            """
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = NORMAL;
            PRAGMA wal_autocheckpoint = 4000;
            PRAGMA journal_size_limit = 33554432;
            PRAGMA cache_size = -16384;
            PRAGMA secure_delete = FAST;
            """)
        let version = try Statement("PRAGMA user_version", in: database).integer() ?? 0
        guard version == Self.version || version == 0 else { throw .malformed("version \(version)") }
        if version == 0 { try Self.makeTables(database) }
        insertLine = try Statement("INSERT OR REPLACE INTO lines(rowid, words, facts) VALUES(?1, ?2, ?3)", in: database)
        deleteLine = try Statement("DELETE FROM lines WHERE rowid = ?1", in: database)
        matchLines = try Statement(
            "SELECT rowid FROM lines WHERE lines MATCH ?1 AND rowid >= ?2 AND rowid < ?3 ORDER BY rowid DESC LIMIT ?4",
            in: database)
        roomNumber = try Statement("SELECT number FROM rooms WHERE id = ?1 AND epoch = ?2", in: database)
        insertRoom = try Statement(
            """
            INSERT INTO rooms(number, id, epoch)
            SELECT 1 + max(
                coalesce((SELECT max(number) FROM rooms), 0), coalesce((SELECT max(number) FROM gone), 0)), ?1, ?2
            RETURNING number
            """, in: database)
        deleteRoom = try Statement("DELETE FROM rooms WHERE number = ?1", in: database)
        insertGone = try Statement("INSERT OR IGNORE INTO gone(number) VALUES(?1)", in: database)
        nextGone = try Statement("SELECT min(number) FROM gone", in: database)
        deleteGone = try Statement("DELETE FROM gone WHERE number = ?1", in: database)
        linesOfRoom = try Statement(
            "SELECT rowid FROM lines WHERE rowid >= ?1 AND rowid < ?2 ORDER BY rowid LIMIT ?3", in: database)
        setStale = try Statement("UPDATE rooms SET stale = ?2 WHERE number = ?1", in: database)
        nextStale = try Statement(
            "SELECT id, epoch, stale FROM rooms WHERE stale IS NOT NULL ORDER BY number LIMIT 1", in: database)
        countStale = try Statement("SELECT count(*) FROM rooms WHERE stale IS NOT NULL", in: database)
        staleOffset = try Statement("SELECT stale FROM rooms WHERE number = ?1", in: database)
        setProgress = try Statement("UPDATE progress SET frame = ?1, at = ?2", in: database)
    }

    private static func makeTables(_ database: Database) throws(DatabaseError) {
        try database.transaction { () throws(DatabaseError) in
            // SearchText makes the words; the tokenizer only has to separate them. unicode61 would divide words at the
            // vowel signs of Thai or Hindi, and at letters that are newer than its tables.
            let prefixes = MatchExpression.prefixes.map(String.init).joined(separator: " ")
            try database.execute(
                """
                CREATE VIRTUAL TABLE lines USING fts5(
                    words, facts, tokenize = 'ascii', prefix = '\(prefixes)', columnsize = 0);
                CREATE TABLE rooms(
                    number INTEGER PRIMARY KEY, id TEXT NOT NULL, epoch TEXT NOT NULL, stale INTEGER,
                    UNIQUE(id, epoch));
                CREATE INDEX stale_rooms ON rooms(number) WHERE stale IS NOT NULL;
                CREATE TABLE gone(number INTEGER PRIMARY KEY);
                CREATE TABLE progress(frame INTEGER, at INTEGER);
                INSERT INTO progress VALUES(NULL, NULL);
                PRAGMA user_version = \(version);
                """)
        }
    }

    /// - Returns: nil for an index that is not filled yet.
    func progress() throws(DatabaseError) -> SearchProgress? {
        var progress: SearchProgress?
        try Statement("SELECT frame, at FROM progress", in: database).forEachRow([]) { row in
            guard let frame = row.integer(0), let at = row.integer(1) else { return }
            progress = SearchProgress(frame: UInt64(bitPattern: frame), at: at)
        }
        return progress
    }

    /// Applies changes and records the progress, as one transaction.
    ///
    /// - Parameter progress: nil to leave it as it is.
    func apply(_ changes: some Sequence<SearchChange>, progress: SearchProgress?) throws(DatabaseError) {
        do throws(DatabaseError) {
            try database.transaction { () throws(DatabaseError) in
                try write(changes)
                if let progress {
                    try setProgress.run(.integer(Int64(bitPattern: progress.frame)), .integer(progress.at))
                }
            }
        } catch {
            // It may name channels that the transaction added.
            numbers = [:]
            throw error
        }
    }

    /// Marks channels as behind from an offset on: their messages have to be read from the chat.
    func markStale(_ rooms: [(room: SearchRoom, offset: UInt64)], progress: SearchProgress?) throws(DatabaseError) {
        do throws(DatabaseError) {
            try database.transaction { () throws(DatabaseError) in
                for (room, offset) in rooms {
                    guard let number = try number(of: room, adding: true) else { continue }
                    let known = try staleOffset.integer(.integer(number))
                    let offset = Int64(clamping: offset)
                    try setStale.run(.integer(number), .integer(min(known ?? offset, offset)))
                }
                if let progress {
                    try setProgress.run(.integer(Int64(bitPattern: progress.frame)), .integer(progress.at))
                }
            }
        } catch {
            numbers = [:]
            throw error
        }
    }

    /// Adds what was read from the chat for a channel that is behind.
    ///
    /// - Parameter offset: Where the reading began.
    func fill(_ room: SearchRoom, from offset: UInt64, with fill: SearchFill) throws(DatabaseError) {
        try database.transaction { () throws(DatabaseError) in
            guard let number = try number(of: room, adding: false) else { return }
            // Meanwhile, a change that was dropped may have moved the mark back.
            guard try staleOffset.integer(.integer(number)) == Int64(clamping: offset) else { return }
            // Without what is no longer in the chat.
            let end = fill.next.map { row(number, $0) ?? row(number + 1, 0) ?? .max } ?? row(number + 1, 0) ?? .max
            let kept = Set(fill.entries.compactMap { row(number, $0.offset) })
            for row in try lines(from: row(number, offset) ?? end, to: end, limit: .max) where !kept.contains(row) {
                try deleteLine.run(.integer(row))
            }
            for (offset, entry) in fill.entries {
                if let row = row(number, offset) { try insert(entry, at: row) }
            }
            try setStale.run(.integer(number), fill.next.map { .integer(Int64(clamping: $0)) } ?? .null)
        }
    }

    /// The next channel that is behind, and the offset from which on it is.
    func nextStaleRoom() throws(DatabaseError) -> (room: SearchRoom, offset: UInt64)? {
        var next: (room: SearchRoom, offset: UInt64)?
        try nextStale.forEachRow([]) { row throws(DatabaseError) in
            guard let id = row.text(0).flatMap(ChannelID.init), let epoch = row.text(1), let offset = row.integer(2),
                offset >= 0
            else { throw .malformed("channel") }
            next = (SearchRoom(id: id, epoch: epoch), UInt64(offset))
        }
        return next
    }

    /// Whether some channels are to be read from the chat, or removed.
    func isBehind() throws(DatabaseError) -> Bool {
        if try staleRoomCount() > 0 { return true }
        return try nextGone.integer() != nil
    }

    func staleRoomCount() throws(DatabaseError) -> Int { Int(clamping: try countStale.integer() ?? 0) }

    /// Removes some messages of deleted channels.
    ///
    /// - Returns: Whether there are more.
    func removeGone(limit: Int) throws(DatabaseError) -> Bool {
        guard let number = try nextGone.integer() else { return false }
        let end = row(number + 1, 0) ?? .max
        try database.transaction { () throws(DatabaseError) in
            let rows = try lines(from: row(number, 0) ?? end, to: end, limit: limit)
            for row in rows { try deleteLine.run(.integer(row)) }
            if rows.count < limit { try deleteGone.run(.integer(number)) }
        }
        return true
    }

    /// - Parameter isCurrent: Whether all changes so far are in the index.
    func find(_ lookup: SearchLookup, isCurrent: Bool) throws(DatabaseError) -> SearchFindings {
        let expression = MatchExpression.text(lookup.pattern, facts: lookup.facts)
        var parts: [SearchFindings.Part] = []
        for range in lookup.ranges {
            parts.append(try find(expression, in: range, limit: lookup.limit, isCurrent: isCurrent))
        }
        return SearchFindings(parts: parts)
    }

    private func find(
        _ expression: String, in range: SearchLookup.Range, limit: Int, isCurrent: Bool
    ) throws(DatabaseError) -> SearchFindings.Part {
        guard let number = try number(of: range.room, adding: false) else {
            return SearchFindings.Part(offsets: [], reached: range.offsets.lowerBound, isKnown: isCurrent)
        }
        let isBehind = try staleOffset.integer(.integer(number)) != nil
        var offsets: [UInt64] = []
        var end = range.offsets.upperBound
        for _ in 0..<Self.windowsPerRange where end > range.offsets.lowerBound && offsets.count < limit {
            let start = max(range.offsets.lowerBound, end > Self.windowOffsets ? end - Self.windowOffsets : 0)
            let wanted = limit - offsets.count
            let last = row(number, end) ?? row(number + 1, 0) ?? .max
            guard let first = row(number, start) else {
                end = start
                continue
            }
            var found: [UInt64] = []
            try matchLines.forEachRow([
                .text(expression), .integer(first), .integer(last), .integer(Int64(clamping: wanted)),
            ]) { (row: Statement.Row) throws(DatabaseError) in
                if let row = row.integer(0) { found.append(UInt64(row & ((1 << Self.offsetBits) - 1))) }
            }
            offsets += found
            end = found.count < wanted ? start : found.last ?? start
        }
        return SearchFindings.Part(offsets: offsets, reached: end, isKnown: isCurrent && !isBehind)
    }

    // MARK: Within a transaction

    /// Sorted by row, because FTS5 writes all that it has collected whenever a row follows a greater one.
    private func write(_ changes: some Sequence<SearchChange>) throws(DatabaseError) {
        var lines: [Int64: SearchEntry?] = [:]
        for change in changes {
            switch change {
            case .put(let room, let offset, let entry):
                guard let row = try row(of: offset, in: room, adding: true) else { continue }
                lines[row] = .some(entry)
            case .remove(let room, let offset):
                guard let row = try row(of: offset, in: room, adding: false) else { continue }
                lines[row] = .some(nil)
            case .readRoom(let room):
                guard let number = try number(of: room, adding: true) else { continue }
                try setStale.run(.integer(number), .integer(0))
            case .removeRoom(let room):
                guard let number = try number(of: room, adding: false) else { continue }
                lines = lines.filter { $0.key >> Self.offsetBits != number }
                try insertGone.run(.integer(number))
                try deleteRoom.run(.integer(number))
                numbers[room] = nil
            }
        }
        for (row, entry) in lines.sorted(by: { $0.key < $1.key }) {
            if let entry { try insert(entry, at: row) } else { try deleteLine.run(.integer(row)) }
        }
    }

    private func insert(_ entry: SearchEntry, at row: Int64) throws(DatabaseError) {
        try insertLine.run(
            .integer(row), .text(SearchWords(entry.text).joined), .text(entry.facts.joined(separator: " ")))
    }

    /// - Returns: nil if the channel is behind at this offset, so that the message will be read from the chat later, and
    ///   if the channel is unknown.
    private func row(of offset: UInt64, in room: SearchRoom, adding: Bool) throws(DatabaseError) -> Int64? {
        guard let number = try number(of: room, adding: adding) else { return nil }
        if let stale = try staleOffset.integer(.integer(number)), offset >= UInt64(clamping: stale) { return nil }
        return row(number, offset)
    }

    private func lines(from start: Int64, to end: Int64, limit: Int) throws(DatabaseError) -> [Int64] {
        var rows: [Int64] = []
        try linesOfRoom.forEachRow([.integer(start), .integer(end), .integer(Int64(limit))]) { row in
            if let row = row.integer(0) { rows.append(row) }
        }
        return rows
    }

    /// - Returns: nil for a channel that the index does not have, and if there are too many channels.
    private func number(of room: SearchRoom, adding: Bool) throws(DatabaseError) -> Int64? {
        if let number = numbers[room] { return number }
        let names: (Statement.Value, Statement.Value) = (.text(room.id.rawValue), .text(room.epoch))
        var number = try roomNumber.integer(names.0, names.1)
        if number == nil, adding { number = try insertRoom.integer(names.0, names.1) }
        guard let number, number < Self.numberLimit else { return nil }
        if numbers.count >= Self.cachedRooms { numbers = [:] }
        numbers[room] = number
        return number
    }

    /// - Returns: nil for a message that has no row, because its offset is too great.
    private func row(_ number: Int64, _ offset: UInt64) -> Int64? {
        guard offset < 1 << Self.offsetBits, number < Self.numberLimit else { return nil }
        return number << Self.offsetBits | Int64(offset)
    }
}
