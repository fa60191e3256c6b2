/// Counts what commands cost the engine in work units; about a thousand correspond to a microsecond of one core.
///
/// Units are counted, not timed: entries examined, bytes compared, bytes encoded. A command thus costs the same in a
/// simulation, in the model and on a slow machine, and budgets can be charged with it.
///
/// Touched on the queue that owns the `ChatState` only.
package final class WorkMeter: @unchecked Sendable {
    /// After this much work a query yields to others. It finishes the current entry, so a slice may take somewhat more.
    package static let slice = 2_000_000

    private var spent = 0
    private var sliceEnd = slice

    package init() {}

    package func charge(_ units: Int) { spent += units }

    /// Whether a query should stop here and continue in its next slice.
    package var isSliceOver: Bool { spent >= sliceEnd }

    /// Whether too little of the slice is left for building an answer, which is done in one piece.
    var isSliceHalfOver: Bool { spent >= sliceEnd - Self.slice / 2 }

    package func beginSlice() { sliceEnd = spent + Self.slice }

    /// Resets the meter.
    ///
    /// - Returns: The work spent since the last call.
    package func drain() -> Int {
        defer {
            spent = 0
            sliceEnd = Self.slice
        }
        return spent
    }
}

/// Costs in work units, as measured for the worst cases; only the proportions matter.
package enum WorkCost {
    /// Any command: decoding it, finding its channel and caller, answering.
    package static let command = 5_000
    /// A byte of a command: checking, storing and logging it.
    package static let commandByte = 100
    /// A durable event: its record, and its place in the state, in the journal and in its rooms' rings.
    package static let event = 15_000
    /// An effect of an event on one room or user.
    package static let effect = 5_000
    /// A room that a new connection listens to.
    package static let room = 3_000
    /// A channel, member or user that a list examines.
    package static let entry = 500
    /// A byte of an id that is looked up: hashed, and compared with the one found.
    static let idByte = 3
    /// A key that a list copies when it starts, so that it can go through them in slices.
    static let key = 100
    /// A channel that unread totals visit.
    package static let total = 4_000
    /// A member who is skipped in a pass over all members.
    package static let skippedMember = 100
    /// A member examined as a push recipient.
    package static let recipient = 1_000
    /// A byte of that member's id, which is looked up three times.
    package static let recipientByte = 10
    /// A message that a filter examines.
    package static let message = 200
    /// A byte of text folded and searched.
    package static let searchedByte = 5
    /// The same for a byte that is not ASCII: folding takes far longer.
    package static let foldedByte = 100
    /// The number of bytes of two texts compared for one unit.
    package static let comparedBytes = 8
    /// A byte of an answer: built into a view here, and encoded as JSON by a loop.
    package static let encodedByte = 10
    /// An event written to one of a large room's listeners, by a loop.
    package static let delivery = 2_000
    /// A byte of an event: encoded as JSON on the queue that all acknowledgements pass through, kept for recovery, and
    /// passed to every loop and webhook.
    package static let announcedByte = 25
}
