/// A counter for the cost of commands in work units; about a thousand correspond to a microsecond of one core.
///
/// Units count entries examined, bytes compared and bytes encoded, not time. A command therefore costs the same in a
/// simulation, in the model and on a slow machine, and rate limits can use units.
///
/// Touched only on the queue that owns the `ChatState`.
package final class WorkMeter: @unchecked Sendable {
    /// The work after which a query yields to other commands. It finishes the current entry, so a slice may take
    /// slightly more.
    package static let slice = 2_000_000

    private var spent = 0
    private var sliceEnd = slice

    package init() {}

    package func charge(_ units: Int) { spent += units }

    /// Whether a query should stop and continue in its next slice.
    package var isSliceOver: Bool { spent >= sliceEnd }

    /// Whether the rest of the slice is too short to build a response, which cannot be interrupted.
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

/// Costs in work units, measured for the worst cases. Only their proportions matter.
package enum WorkCost {
    /// A command: decoding it, finding its channel and caller, and responding.
    package static let command = 5_000
    /// A byte of a command: checking, storing and logging it.
    package static let commandByte = 100
    /// A durable event: its record, and its entries in the state, in the journal and in its rooms' rings.
    package static let event = 15_000
    /// An effect of an event on one room or user.
    package static let effect = 5_000
    /// A room that a new connection listens to.
    package static let room = 3_000
    /// A channel, member or user examined by a list.
    package static let entry = 500
    /// A byte of an id that is looked up: hashing it, and comparing it with the id found.
    static let idByte = 3
    /// A key copied when a list starts, so that the list can be processed in slices.
    static let key = 100
    /// A channel visited by unread totals.
    package static let total = 4_000
    /// A member skipped in a pass over all members.
    package static let skippedMember = 100
    /// A member examined as a push recipient.
    package static let recipient = 1_000
    /// A byte of a push recipient's id, which is looked up three times.
    package static let recipientByte = 10
    /// A message examined by a filter.
    package static let message = 200
    /// A byte of a folded name that is searched.
    package static let searchedByte = 5
    /// A byte of text that is divided into words, which are compared with a pattern.
    package static let dividedByte = 30
    /// A byte of such text that is not ASCII, in addition.
    package static let foldedByte = 30
    /// A byte of a text that is compared with the text rules.
    static let ruleByte = 60
    /// A channel that the search index looks into, off the engine's queue.
    package static let lookup = 10_000
    /// The number of bytes of two texts that are compared for one unit.
    package static let comparedBytes = 8
    /// A byte of a response: building the view here, and encoding it as JSON on a loop.
    package static let encodedByte = 10
    /// An event written by a loop to one listener of a large room.
    package static let delivery = 2_000
    /// A byte of an event: encoding it as JSON on the queue that all acknowledgements pass through, keeping it for
    /// recovery, and passing it to every loop and webhook.
    package static let announcedByte = 25
}
