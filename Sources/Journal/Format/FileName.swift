/// `<number, 20 digits>.journal` or `.snapshot`, so that names sort as the frames do.
///
/// The number of a segment is that of its first frame, the number of a snapshot that of the last frame that went into it.
struct FileName {
    /// What is being made and has no name of its own yet; a crash may leave one behind.
    static let spare = "spare.tmp"
    static let rewritten = "rewritten.tmp"
    static let unfinished = "snapshot.tmp"

    static let segment = FileName(suffix: ".journal")
    static let snapshot = FileName(suffix: ".snapshot")

    private static let digits = 20
    private let suffix: String

    func name(_ number: UInt64) -> String {
        let text = String(number)
        return String(repeating: "0", count: Self.digits - text.utf8.count) + text + suffix
    }

    /// - Returns: `nil` for a file of another kind. Numbers that no journal reaches are none of ours: whoever reads
    ///   counts on from them.
    func number(of name: String) -> UInt64? {
        guard name.hasSuffix(suffix), name.utf8.count == Self.digits + suffix.utf8.count else { return nil }
        return UInt64(name.dropLast(suffix.utf8.count)).flatMap { $0 <= UInt64(Int64.max) ? $0 : nil }
    }
}
