/// Keeps an answer below 1 MiB: a list stops before the first item that does not fit, and says where it goes on.
///
/// The first item always fits, so every page makes progress. What is worded is charged to the command.
package struct AnswerBudget {
    /// Room for the items; the rest of a mebibyte is for what stands around them.
    package static let bytes = 1_000_000

    private var left: Int
    /// Bytes that were admitted.
    private(set) var spent = 0
    private var lent = 0
    private var isEmpty = true
    private let work: WorkMeter

    package init(_ context: Context, bytes: Int = Self.bytes) {
        left = bytes
        work = context.work
    }

    /// - Parameter item: A part of the answer as the wire shows it.
    /// - Returns: Whether it belongs into this answer.
    mutating func admits(_ item: some WireSized) -> Bool { admits(item.wireSize) }

    /// - Parameter size: Bytes of JSON.
    mutating func admits(_ size: Int) -> Bool {
        work.charge(size * WorkCost.wordedByte)
        guard size <= left || isEmpty else { return false }
        isEmpty = false
        left -= size
        spent += size
        return true
    }

    /// Half of what is left, for a part of the answer that must not use up all of it.
    func half() -> AnswerBudget {
        var half = self
        half.left = left / 2
        half.lent = left - half.left
        return half
    }

    /// What is left of a half goes to the rest.
    mutating func takeOver(_ half: AnswerBudget) {
        left = half.left + half.lent
        isEmpty = isEmpty && half.isEmpty
    }
}
