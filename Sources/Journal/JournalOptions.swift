/// When what was written counts as kept.
package enum Durability: String, Sendable, CaseIterable {
    /// Once it is synced: nothing acknowledged is lost, whatever happens to the machine.
    case fsync
    /// Once it is written: a crash of the process loses nothing, a power cut up to `syncMilliseconds`.
    case interval
    /// Once it is written; the system alone decides when it comes to the disk.
    case none
}

package struct JournalOptions: Sendable, Equatable {
    /// The size of a file of the journal, set aside as a whole.
    package var segmentBytes = 67_108_864
    /// What a reservation holds for a frame whose size is not known yet. A greater one finds its place too, unless the
    /// disk is full at that moment.
    var frameBytes: Int { segmentBytes / 16 }
    /// Bytes of a frame; a command that would leave a larger one is refused. The largest that the limits of commands allow
    /// comes to about half of it: a message to a super channel of 1,000,000 people who have all hidden it.
    var largestFrame = FrameFormat.limit
    /// Frames reserved or waiting to be durable; beyond it commands are refused with 1040.
    package var pendingFrames = 65_536
    package var durability = Durability.fsync
    package var syncMilliseconds = 100
    /// How long after one failure to find space it is tried again.
    package var retryMilliseconds = 1_000
    package init() {}
}
