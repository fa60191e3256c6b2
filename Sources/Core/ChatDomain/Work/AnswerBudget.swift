import ChatModel

/// A size limit that keeps a response below 1 MiB: a list stops before the first item that does not fit and returns a
/// token to continue from.
///
/// The first item always fits, so every page makes progress. The command is charged for the encoded bytes.
package struct AnswerBudget {
    /// The budget for items; the rest of the 1 MiB is for the fields around them.
    package static let bytes = 1_000_000

    private var left: Int
    private(set) var spent = 0
    private var lent = 0
    private var isEmpty = true
    private let work: WorkMeter

    package init(_ context: Context, bytes: Int = Self.bytes) {
        left = bytes
        work = context.work
    }

    /// - Parameter item: A part of the response, in its wire form.
    /// - Returns: Whether the item fits into this response.
    mutating func reserve(_ item: some WireSized) -> Bool { reserve(item.wireSize) }

    /// - Parameter size: The size of the item in bytes of JSON.
    mutating func reserve(_ size: Int) -> Bool {
        work.charge(size * WorkCost.encodedByte)
        guard size <= left || isEmpty else { return false }
        isEmpty = false
        left -= size
        spent += size
        return true
    }

    /// Returns half of the remaining budget, for a part of the response that must not use all of it.
    func half() -> AnswerBudget {
        var half = self
        half.left = left / 2
        half.lent = left - half.left
        return half
    }

    /// Adds the unused part of a half back to the budget.
    mutating func reclaim(_ half: AnswerBudget) {
        left = half.left + half.lent
        isEmpty = isEmpty && half.isEmpty
    }
}

/// An item of a response that is still useful without its largest fields.
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
    /// Returns all items in order, abridged from the first item that does not fit. For responses without further pages.
    ///
    /// - Parameter items: The items, few enough to fit if all are abridged.
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
