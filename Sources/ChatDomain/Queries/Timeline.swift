import ChatModel
import WireProtocol

/// Messages in chronological order: all of a channel's, those shown in the channel itself, or one thread's replies.
struct Timeline {
    let channel: ChannelState
    /// Places in the channel's messages, ascending; `nil` for all of them.
    let selection: Places?

    /// How many messages one query examines on each side before it returns what it has, so that a filter that rarely
    /// matches does not block others.
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

    /// The place of a message; an empty range at its position if the selection does not include it.
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
        /// The lowest place that was fully examined; the next page starts below it.
        var oldestPlace: Int?
    }

    /// The starting point of a query: its places belong to neither side.
    struct Anchor {
        var places: Range<Int>
        var isInclusive: Bool
        /// Whether all messages that share the edge's timestamp are included (`MS4`).
        var keepsTies: Bool
    }

    /// - Parameters:
    ///   - visible: Places that the reader may see.
    ///   - matches: The filter.
    ///   - view: The answer's form of a message. If the answer is full, the page ends early, counted from the anchor
    ///     outwards, even among messages that share the edge's timestamp.
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
        // Each side has its own half, so that neither uses up the other's.
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
