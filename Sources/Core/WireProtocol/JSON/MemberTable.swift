/// The positions of an object's members in its text.
///
/// The first eight members are stored inline, because few commands have more.
struct MemberTable {
    struct Member {
        /// The range of the name, including its quotation marks.
        let name: Range<Int>
        let value: Range<Int>
        /// Whether the name is ASCII without escapes, so that it can be compared byte by byte.
        let isPlain: Bool
    }

    private var first = InlineArray<8, Member>(repeating: Member(name: 0..<0, value: 0..<0, isPlain: true))
    private var rest: [Member] = []
    private(set) var count = 0

    var indices: Range<Int> { 0..<count }

    mutating func append(_ member: Member) {
        if count < first.count { first[count] = member } else { rest.append(member) }
        count += 1
    }

    subscript(index: Int) -> Member { index < first.count ? first[index] : rest[index - first.count] }
}
