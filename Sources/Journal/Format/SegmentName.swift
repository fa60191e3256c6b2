/// `<number of the first frame, 20 digits>.journal`, so that names sort as the frames do.
enum SegmentName {
    private static let suffix = ".journal"
    private static let digits = 20
    /// What is being made and has no name of its own yet; a crash may leave one behind.
    static let spare = "spare.tmp"
    static let rewritten = "rewritten.tmp"

    static func name(first: UInt64) -> String {
        let number = String(first)
        return String(repeating: "0", count: digits - number.utf8.count) + number + suffix
    }

    /// - Returns: `nil` for a file that is none of the journal's.
    static func first(of name: String) -> UInt64? {
        guard name.hasSuffix(suffix), name.utf8.count == digits + suffix.utf8.count else { return nil }
        return UInt64(name.dropLast(suffix.utf8.count))
    }
}
