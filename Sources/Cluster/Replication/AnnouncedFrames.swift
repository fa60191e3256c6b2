/// The frames that a node has told its connections of, with checksums of what it told them.
package protocol AnnouncedFrames: Sendable {
    /// The first frame after which sums are known, and the last one that was announced.
    var firstFrame: UInt64 { get }
    var lastFrame: UInt64 { get }

    /// - Returns: The sum over the frames after the first number up to the second one; `nil` if they are not all known.
    func sum(after first: UInt64, through last: UInt64) -> UInt64?
}

/// A checksum of what a node announced, as it sends it with a beat.
struct AnnouncedSum: Equatable, Sendable {
    /// The sum is over the frames after this one, through the last one.
    let after: UInt64
    let through: UInt64
    let sum: UInt64
}
