/// The name of a journal file: a 20-digit number and `.journal`, `.snapshot` or `.blocks`. Names sort in frame order.
///
/// The number is that of the first frame in a segment, or of the last frame covered by a snapshot. A file of blocks has
/// the number of the snapshot with which it was written.
struct FileName {
    /// Temporary names of incomplete files, which may remain after a crash.
    static let spare = "spare.tmp"
    static let rewritten = "rewritten.tmp"
    static let unfinished = "snapshot.tmp"
    static let unfinishedBlocks = "blocks.tmp"

    static let segment = FileName(suffix: ".journal")
    static let snapshot = FileName(suffix: ".snapshot")
    static let blocks = FileName(suffix: ".blocks")

    private static let digits = 20
    private let suffix: String

    func name(_ number: UInt64) -> String {
        let text = String(number)
        return String(repeating: "0", count: Self.digits - text.utf8.count) + text + suffix
    }

    /// - Returns: The number; `nil` for other kinds of files. Also `nil` above `Int64.max`, which no journal reaches,
    ///   so that readers cannot overflow when they count up.
    func number(of name: String) -> UInt64? {
        guard name.hasSuffix(suffix), name.utf8.count == Self.digits + suffix.utf8.count else { return nil }
        return UInt64(name.dropLast(suffix.utf8.count)).flatMap { $0 <= UInt64(Int64.max) ? $0 : nil }
    }
}
