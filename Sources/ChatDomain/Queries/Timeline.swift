import ChatModel
import WireProtocol

/// A run of messages in time: a channel's, what stands in the channel itself, or the replies of one thread.
struct Timeline {
    let channel: ChannelState
    /// Places in the channel's messages, ascending; `nil` for all of them.
    let selection: Places?

    /// How many messages one query looks at on each side before it answers with what it has: a filter that hardly
    /// ever matches must not hold up everyone else.
    static let scanLimit = 20_000

    var count: Int { selection?.count ?? channel.messages.count }

    func message(at place: Int) -> StoredMessage {
        channel.messages[selection.map { $0[place] } ?? place]
    }

    /// The first place whose message is not before the mark.
    private func firstPlace(where isNotBefore: (StoredMessage) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = low + (high - low) / 2
            if isNotBefore(message(at: middle)) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Where a message stands; empty where it would, but is not part of the selection.
    func places(of message: StoredMessage) -> Range<Int> {
        let place = firstPlace(fromOffset: message.offset)
        let isHere = place < count && self.message(at: place).offset == message.offset
        return place..<place + (isHere ? 1 : 0)
    }

    func firstPlace(fromOffset offset: UInt64) -> Int { firstPlace { $0.offset >= offset } }
    func firstPlace(fromTime time: Int64) -> Int { firstPlace { $0.createdAt >= time } }
    func firstPlace(afterTime time: Int64) -> Int { firstPlace { $0.createdAt > time } }

    struct Page {
        /// Ascending.
        var messages: [Message]
        var hasPrevious: Bool
        var hasNext: Bool
        /// The lowest place that was looked at and is done with; a next page lies below it.
        var oldestPlace: Int?
    }

    /// Where a query stands: everything in `anchor` belongs to neither side.
    struct Anchor {
        var places: Range<Int>
        var isInclusive: Bool
        /// Whether messages that share the edge's timestamp all come (`MS4`).
        var keepsTies: Bool
    }

    /// - Parameters:
    ///   - visible: Places that the reader may see.
    ///   - matches: The filter.
    ///   - view: What the answer shows of a message. Where the answer is full, the page ends early: from the anchor outwards,
    ///     messages that share the edge's timestamp included.
    func page(
        around anchor: Anchor, previous: Int, next: Int, visible: Range<Int>, _ context: Context,
        _ matches: @escaping (StoredMessage) -> Bool, view: @escaping (StoredMessage) -> Message
    ) -> Page {
        let before = visible.lowerBound..<max(visible.lowerBound, min(anchor.places.lowerBound, visible.upperBound))
        let after = min(visible.upperBound, max(anchor.places.upperBound, visible.lowerBound))..<visible.upperBound
        let pass = Pass(context: context, matches: matches, view: view)
        var budget = AnswerBudget(context)
        var middle = Run()
        if anchor.isInclusive {
            middle = collect(anchor.places.clamped(to: visible), .max, false, pass, &budget)
            guard !middle.hasMore else {
                return Page(messages: middle.messages, hasPrevious: !before.isEmpty, hasNext: true)
            }
        }
        // Neither side takes the other's place.
        var half = next > 0 ? budget.half() : budget
        let older = collect(before.reversed(), previous, anchor.keepsTies, pass, &half)
        if next > 0 { budget.takeOver(half) } else { budget = half }
        let newer = collect(after, next, anchor.keepsTies, pass, &budget)
        return Page(
            messages: older.messages.reversed() + middle.messages + newer.messages, hasPrevious: older.hasMore,
            hasNext: newer.hasMore, oldestPlace: older.lastPlace)
    }

    private struct Pass {
        let context: Context
        let matches: (StoredMessage) -> Bool
        let view: (StoredMessage) -> Message
    }

    /// Messages on one side of an anchor, from there outwards.
    private struct Run {
        var messages: [Message] = []
        var hasMore = false
        var lastPlace: Int?
    }

    private func collect(
        _ places: some Sequence<Int>, _ wanted: Int, _ keepsTies: Bool, _ pass: Pass, _ budget: inout AnswerBudget
    ) -> Run {
        var run = Run()
        var looked = 0
        for place in places {
            guard looked < Self.scanLimit else {
                run.hasMore = true
                return run
            }
            looked += 1
            pass.context.work.charge(WorkCost.message)
            let message = message(at: place)
            if pass.matches(message) {
                if run.messages.count >= wanted {
                    let isTie = keepsTies && wanted > 0 && run.messages.last?.createdAt == message.createdAt
                    guard isTie else {
                        run.hasMore = true
                        return run
                    }
                }
                let view = pass.view(message)
                guard budget.admits(view) else {
                    run.hasMore = true
                    return run
                }
                run.messages.append(view)
            }
            run.lastPlace = place
        }
        return run
    }
}
