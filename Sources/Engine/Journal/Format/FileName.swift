/// `<number, 20 digits>.journal` or `.snapshot`, so that names sort in frame order.
///
/// A segment's number is that of its first frame, a snapshot's that of the last frame in it.
struct FileName {
    /// Temporary names of unfinished files; a crash may leave one behind.
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

    /// - Returns: `nil` for a file of another kind, and for a number above `Int64.max`, which no journal
    ///   reaches: readers count on from it and must not overflow.
    func number(of name: String) -> UInt64? {
        guard name.hasSuffix(suffix), name.utf8.count == Self.digits + suffix.utf8.count else { return nil }
        return UInt64(name.dropLast(suffix.utf8.count)).flatMap { $0 <= UInt64(Int64.max) ? $0 : nil }
    }
}
