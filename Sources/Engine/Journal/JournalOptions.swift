/// When a write counts as durable.
package enum Durability: String, Sendable, CaseIterable {
    /// Once synced: no acknowledged write is lost, even in a power failure.
    case fsync
    /// Once written: a process crash loses nothing, a power failure up to `syncMilliseconds`.
    case interval
    /// Once written: the operating system decides when it reaches the disk.
    case none
}

package struct JournalOptions: Sendable, Equatable {
    /// The size of a segment, allocated as a whole.
    package var segmentBytes = 67_108_864
    /// Bytes reserved for a frame of unknown size. A larger frame also fits unless the disk is full at that
    /// moment.
    var frameBytes: Int { segmentBytes / 16 }
    /// The maximum size of a frame in bytes; a command that would exceed it is refused. The largest frame that
    /// the command limits allow is about half of that: a message to a super channel whose 1,000,000 members
    /// have all hidden it.
    var largestFrame = FrameFormat.limit
    /// Frames reserved or waiting to become durable; beyond this, commands are refused with 1040.
    package var pendingFrames = 65_536
    package var durability = Durability.fsync
    package var syncMilliseconds = 100
    /// Delay before retrying to allocate space after a failure.
    package var retryMilliseconds = 1_000
    package init() {}
}
