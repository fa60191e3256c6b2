/// Removes what deleted lines have left in the file (`PR1`), in steps: FTS5 keeps the words of deleted lines until it
/// merges their segments, and SQLite keeps the bytes of pages that it has freed.
extension SearchStore {
    enum ScrubStep {
        /// Merges all segments into one.
        case beginMerging, merge
        /// Overwrites free pages.
        case fill
        case end
    }

    /// Pages of the index that one step merges, approximately.
    private static var mergedPages: Int { 256 }
    /// Free pages that one step overwrites.
    private static var filledPages: Int64 { 256 }

    /// - Returns: The next step; `nil` at the end.
    func scrub(_ step: ScrubStep) throws(DatabaseError) -> ScrubStep? {
        switch step {
        case .beginMerging:
            try database.execute("PRAGMA secure_delete = ON")
            return try merge(-Self.mergedPages) ? .merge : .fill
        case .merge: return try merge(Self.mergedPages) ? .merge : .fill
        case .fill:
            let free = try Statement("PRAGMA freelist_count", in: database).integer() ?? 0
            let size = try Statement("PRAGMA page_size", in: database).integer() ?? 4_096
            guard free > 0 else { return .end }
            try database.execute(
                """
                CREATE TABLE IF NOT EXISTS filler(bytes BLOB);
                INSERT INTO filler VALUES(zeroblob(\(min(free, Self.filledPages) * size)));
                """)
            return .fill
        case .end:
            try database.execute(
                """
                PRAGMA secure_delete = FAST;
                DROP TABLE IF EXISTS filler;
                PRAGMA wal_checkpoint(TRUNCATE);
                """)
            return nil
        }
    }

    /// - Returns: Whether there is more to merge.
    private func merge(_ pages: Int) throws(DatabaseError) -> Bool {
        let changes = try Statement("SELECT total_changes()", in: database)
        let before = try changes.integer() ?? 0
        try database.execute("INSERT INTO lines(lines, rank) VALUES('merge', \(pages))")
        // The statement itself counts as one change.
        return (try changes.integer() ?? 0) - before >= 2
    }
}
