import ChatModel

/// Keeps an answer below 1 MiB: a list stops before the first item that does not fit, and says where it continues.
///
/// The first item always fits, so every page makes progress. Encoded bytes are charged to the command.
package struct AnswerBudget {
    /// The budget for the items; the rest of a mebibyte is for what surrounds them.
    package static let bytes = 1_000_000

    private var left: Int
    /// Bytes reserved so far.
    private(set) var spent = 0
    private var lent = 0
    private var isEmpty = true
    private let work: WorkMeter

    package init(_ context: Context, bytes: Int = Self.bytes) {
        left = bytes
        work = context.work
    }

    /// - Parameter item: A part of the answer, in its wire form.
    /// - Returns: Whether it fits into this answer.
    mutating func reserve(_ item: some WireSized) -> Bool { reserve(item.wireSize) }

    /// - Parameter size: Bytes of JSON.
    mutating func reserve(_ size: Int) -> Bool {
        work.charge(size * WorkCost.encodedByte)
        guard size <= left || isEmpty else { return false }
        isEmpty = false
        left -= size
        spent += size
        return true
    }

    /// Half of the remaining budget, for a part of the answer that must not use up all of it.
    func half() -> AnswerBudget {
        var half = self
        half.left = left / 2
        half.lent = left - half.left
        return half
    }

    /// Returns the unused part of a half to the budget.
    mutating func reclaim(_ half: AnswerBudget) {
        left = half.left + half.lent
        isEmpty = isEmpty && half.isEmpty
    }
}

/// An item of an answer that is useful without its largest fields.
protocol Abridgeable: WireSized {
    var abridged: Self { get }
}

extension User: Abridgeable {
    var abridged: User {
        var user = self
        user.metadata = nil
        return user
    }
}

extension Channel: Abridgeable {
    var abridged: Channel {
        var channel = self
        channel.data = nil
        channel.metadata = nil
        return channel
    }
}

extension AnswerBudget {
    /// All of the items, in order, abridged from the first one on that does not fit. For an answer that cannot be
    /// continued.
    ///
    /// - Parameter items: So few that they fit if all are abridged.
    static func fitting<Item: Abridgeable>(_ items: [Item], _ context: Context) -> [Item] {
        let abridged = items.map(\.abridged)
        let sizes = abridged.map(\.wireSize)
        var left = Self.bytes - sizes.reduce(0, +)
        var complete = 0
        while complete < items.count {
            let more = items[complete].wireSize - sizes[complete]
            guard more <= left else { break }
            left -= more
            complete += 1
        }
        context.work.charge((Self.bytes - left) * WorkCost.encodedByte)
        return Array(items[..<complete] + abridged[complete...])
    }
}
