/// The condition under which a write counts as durable.
package enum Durability: String, Sendable, CaseIterable {
    /// Once it is synced: no acknowledged write is lost, even in a power failure.
    case fsync
    /// Once it is written: a process crash loses nothing; a power failure loses up to `syncMilliseconds`.
    case interval
    /// Once it is written: the operating system decides when it reaches the disk.
    case none
}

package struct JournalOptions: Sendable, Equatable {
    /// The size of a segment in bytes; all of it is preallocated.
    package var segmentBytes = 67_108_864
    /// The number of bytes reserved for a frame of unknown size. A larger frame fits too, unless the disk is full at
    /// that moment.
    var frameBytes: Int { segmentBytes / 16 }
    /// The maximum size of a frame in bytes; commands that would exceed it are refused. Command limits allow about half
    /// of that, for a message to a super channel that all of its 1,000,000 members have hidden.
    var largestFrame = FrameFormat.limit
    /// The maximum number of frames reserved or waiting to become durable; beyond it, commands are refused with 1040.
    package var pendingFrames = 65_536
    package var durability = Durability.fsync
    package var syncMilliseconds = 100
    /// The size in bytes of the largest batch that `flush` writes on its caller's thread, if the disk is quick. Simulations
    /// set 0, because that depends on real time.
    package var bytesOnCaller = 262_144
    /// The number of threads that decode what a starting server reads, and read the runs to which a snapshot refers.
    /// Simulations set 0, because otherwise the order of reads depends on the machine.
    package var decodingThreads = 4
    /// The delay before allocating space is retried after a failure.
    package var retryMilliseconds = 1_000
    package init() {}
}
