/// Counts what commands cost the engine, in work units: about a thousand to a microsecond of one core.
///
/// Units are counted, not timed: entries looked at, bytes compared, bytes worded. So the same command costs the same in a
/// simulation, in the model and on a slow machine, and budgets can be charged with it.
///
/// Touched on the queue that owns the `ChatState` only.
package final class WorkMeter: @unchecked Sendable {
    /// After so much work a query lets others have their turn. An entry begun is finished, so a slice may take somewhat more.
    package static let slice = 2_000_000

    private var spent = 0
    private var sliceEnd = slice

    package init() {}

    package func charge(_ units: Int) { spent += units }

    /// Whether a query should stop here and go on in its next slice.
    package var isSliceOver: Bool { spent >= sliceEnd }

    package func beginSlice() { sliceEnd = spent + Self.slice }

    /// - Returns: What was spent since the last call.
    package func takeSpent() -> Int {
        defer {
            spent = 0
            sliceEnd = Self.slice
        }
        return spent
    }
}

/// What things cost, in work units, as measured for the worst cases; what matters is the proportion.
package enum WorkCost {
    /// Any command: reading it, finding its channel and caller, answering.
    package static let command = 5_000
    /// A byte of a command: it is checked, kept and written down.
    package static let commandByte = 100
    /// A durable event: its record, its place in the state, in the journal and in its rooms' rings.
    package static let event = 15_000
    /// What an event leads to for one room or person.
    package static let effect = 5_000
    /// A room in which a connection begins.
    package static let room = 3_000
    /// A channel, member or user that a list looks at.
    package static let entry = 500
    /// A member whom a pass over all of them does not pick out.
    package static let passed = 100
    /// A member who is asked whether a message is pushed to them.
    package static let recipient = 1_000
    /// A byte of their id, which is looked up three times.
    package static let recipientByte = 10
    /// A message that a filter looks at.
    package static let message = 120
    /// A byte of text folded and searched.
    package static let searchedByte = 5
    /// The same of a byte that is not ASCII: folding takes far longer.
    package static let foldedByte = 100
    /// So many bytes of two texts compared for one unit.
    package static let comparedBytes = 8
    /// A byte of an answer: made into a view here and into JSON by a loop.
    package static let wordedByte = 10
    /// A byte of an event: made into JSON on the queue that everybody's acknowledgements pass, kept for recovery, handed to
    /// every loop and webhook.
    package static let announcedByte = 25
}
