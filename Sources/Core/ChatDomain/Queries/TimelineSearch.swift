import ChatModel

/// The starting point of a list of messages. Stores offsets, because places move when messages are deleted.
struct TimelineAnchor {
    /// The offsets of the anchor, which belong to neither side; the bounds may lie between messages.
    var offsets: Range<UInt64>
    var isInclusive: Bool
    /// Whether all messages that share the timestamp at the edge are included (`MS4`).
    var keepsTies: Bool
    /// Whether the page contains the newest messages, including those that arrive during the search.
    var isEnd = false

    static func end(of timeline: Timeline) -> Self {
        let end = timeline.channel.top + 1
        return Self(offsets: end..<end, isInclusive: false, keepsTies: false, isEnd: true)
    }
}

extension Timeline {
    /// Returns the offsets of the messages with one timestamp.
    func offsets(ofTime time: Int64) -> Range<UInt64> {
        start(of: firstPlace(fromTime: time))..<start(of: firstPlace(afterTime: time))
    }

    /// - Returns: The offset of the message; at the end, the offset after the current last message.
    private func start(of place: Int) -> UInt64 { place < count ? offset(at: place) : channel.top + 1 }
}

/// A search for one page of messages, in slices, including whether more messages lie on either side. It stores only
/// offsets and builds the page in one piece at the end. The page thus reflects messages that were changed, deleted or
/// hidden between slices.
struct TimelineSearch {
    typealias Filter = (StoredMessage, WorkMeter) -> Bool

    private let anchor: TimelineAnchor
    private let matches: Filter
    /// The runs of older and newer messages, and the messages of the anchor itself.
    private var older: TimelineRun
    private var newer: TimelineRun
    private var middle = TimelineRun(wanted: .max)
    /// The first offset not examined yet, after the newest message.
    private var end: UInt64

    init(around anchor: TimelineAnchor, previous: Int, next: Int, _ matches: @escaping Filter) {
        self.anchor = anchor
        self.matches = matches
        older = TimelineRun(wanted: previous)
        newer = TimelineRun(wanted: next)
        end = anchor.offsets.upperBound
    }

    struct Page {
        /// Ascending.
        var messages: [Message]
        var hasPrevious: Bool
        var hasNext: Bool
        /// The lowest offset that was fully examined; the next page starts before it.
        var oldest: UInt64?
    }

    /// - Parameter visibleFrom: The first offset that the reader can see.
    /// - Returns: False if the slice ended before the page was found or has no time left to build it.
    mutating func advance(in timeline: Timeline, visibleFrom: UInt64, _ work: WorkMeter) -> Bool {
        let ends = (anchor.offsets.lowerBound, anchor.offsets.upperBound)
        if anchor.isInclusive {
            let places = timeline.places(from: max(visibleFrom, ends.0), to: ends.1)
            guard middle.scan(places, of: timeline, goesBack: false, keepsTies: false, work, matches) else {
                return false
            }
        }
        if !middle.hasMore {
            let before = timeline.places(from: visibleFrom, to: ends.0)
            let after = timeline.places(from: max(visibleFrom, ends.1), to: .max)
            let ties = anchor.keepsTies
            if anchor.isEnd { addArrivals(of: timeline, work) }
            guard older.scan(before, of: timeline, goesBack: true, keepsTies: ties, work, matches),
                anchor.isEnd
                    || newer.scan(after, of: timeline, goesBack: false, keepsTies: ties, work, matches)
            else { return false }
        }
        return !work.isSliceHalfOver
    }

    /// Adds messages sent since the last slice, which listeners have already received.
    private mutating func addArrivals(of timeline: Timeline, _ work: WorkMeter) {
        for place in timeline.places(from: end, to: .max) {
            work.charge(WorkCost.message)
            let message = timeline.message(at: place)
            if matches(message, work) { older.found.insert(message.offset, at: 0) }
        }
        end = timeline.channel.top + 1
        guard older.found.count > older.wanted else { return }
        older.found.removeLast(older.found.count - older.wanted)
        older.last = older.found.last
        older.end(hasMore: true)
    }

    /// - Parameter view: Returns a message in the response's form. If the response is full, the page ends early,
    ///   counted from the anchor outwards, even among messages that share the timestamp at the edge.
    func page(
        of timeline: Timeline, visibleFrom: UInt64, _ context: Context, view: (StoredMessage) -> Message
    ) -> Page {
        func build(_ run: TimelineRun, _ budget: inout AnswerBudget) -> Part {
            part(of: run, timeline, visibleFrom: visibleFrom, context, &budget, view)
        }
        var budget = AnswerBudget(context)
        let around = build(middle, &budget)
        guard !around.hasMore else {
            let isFirst = timeline.places(from: visibleFrom, to: anchor.offsets.lowerBound).isEmpty
            return Page(messages: around.messages, hasPrevious: !isFirst, hasNext: true)
        }
        // Each side gets half, so that neither uses up the other's budget.
        var half = newer.wanted > 0 ? budget.half() : budget
        let before = build(older, &half)
        if newer.wanted > 0 { budget.reclaim(half) } else { budget = half }
        let after = build(newer, &budget)
        return Page(
            messages: before.messages.reversed() + around.messages + after.messages, hasPrevious: before.hasMore,
            hasNext: after.hasMore, oldest: before.last)
    }

    /// The part of a page from one run; `last` is the last offset that was fully examined.
    private typealias Part = (messages: [Message], hasMore: Bool, last: UInt64?)

    private func part(
        of run: TimelineRun, _ timeline: Timeline, visibleFrom: UInt64, _ context: Context,
        _ budget: inout AnswerBudget, _ view: (StoredMessage) -> Message
    ) -> Part {
        var messages: [Message] = []
        for offset in run.found where offset >= visibleFrom {
            let place = timeline.firstPlace(fromOffset: offset)
            guard place < timeline.count else { continue }
            let message = timeline.message(at: place)
            guard message.offset == offset, matches(message, context.work) else { continue }
            let item = view(message)
            guard budget.reserve(item) else {
                // The next page begins with this message.
                return (messages, true, place + 1 < timeline.count ? timeline.offset(at: place + 1) : nil)
            }
            messages.append(item)
        }
        return (messages, run.hasMore, run.last)
    }
}

/// The messages on one side of an anchor, closest first.
private struct TimelineRun {
    let wanted: Int
    /// The offsets of the matching messages.
    var found: [UInt64] = []
    var lastFoundAt: Int64?
    var examined = 0
    /// The offset of the last message examined.
    var last: UInt64?
    var hasMore = false
    var isOver = false

    /// The maximum number of messages kept: as many as fit into a response, even if more share a timestamp.
    static let limit = AnswerBudget.bytes / Message.leastWireSize + 1

    init(wanted: Int) { self.wanted = wanted }

    mutating func end(hasMore: Bool) {
        isOver = true
        self.hasMore = hasMore
    }

    /// Returns whether there is space for a matching message.
    func hasRoom(for message: StoredMessage, keepsTies: Bool) -> Bool {
        guard found.count < Self.limit else { return false }
        return found.count < wanted || keepsTies && wanted > 0 && lastFoundAt == message.createdAt
    }

    /// - Returns: False if the slice ended before the run did.
    mutating func scan(
        _ places: Range<Int>, of timeline: Timeline, goesBack: Bool, keepsTies: Bool, _ work: WorkMeter,
        _ matches: TimelineSearch.Filter
    ) -> Bool {
        guard !isOver else { return true }
        var (low, high) = (places.lowerBound, places.upperBound)
        if let last {
            if goesBack {
                high = min(high, timeline.firstPlace(fromOffset: last))
            } else {
                low = max(low, timeline.firstPlace(afterOffset: last))
            }
        }
        while low < high {
            guard !work.isSliceOver else { return false }
            guard examined < Timeline.scanLimit else {
                end(hasMore: true)
                return true
            }
            examined += 1
            work.charge(WorkCost.message)
            let message = timeline.message(at: goesBack ? high - 1 : low)
            if matches(message, work) {
                guard hasRoom(for: message, keepsTies: keepsTies) else {
                    end(hasMore: true)
                    return true
                }
                found.append(message.offset)
                lastFoundAt = message.createdAt
            }
            last = message.offset
            if goesBack { high -= 1 } else { low += 1 }
        }
        end(hasMore: false)
        return true
    }
}

extension Timeline {
    /// Returns the places of a range of offsets; empty if `end` is not after `first`.
    fileprivate func places(from first: UInt64, to end: UInt64) -> Range<Int> {
        let low = firstPlace(fromOffset: first)
        return low..<max(low, firstPlace(fromOffset: end))
    }
}
