import Journal
import Synchronization

/// Checksums of the events that the last frames announced. Nodes whose sums over the same frames differ have come to
/// different states.
///
/// The publisher records; any queue may ask.
package final class EventChecksums: Sendable {
    private struct State {
        /// The sum of everything up to a frame, for the last frames; its place is the frame's number modulo the capacity.
        var sums = [UInt64](repeating: 0, count: EventChecksums.capacity)
        /// The first frame, and the last one, with a sum.
        var first: UInt64
        var last: UInt64
    }

    /// The number of frames that are remembered: 128 KiB.
    package static let capacity = 16_384

    private let state: Mutex<State>

    /// - Parameter frame: The last frame that nobody needs a checksum of.
    package init(after frame: UInt64) {
        state = Mutex(State(first: frame, last: frame))
    }

    /// The last frame whose events have been handed to the loops.
    package var lastFrame: UInt64 { state.withLock(\.last) }

    /// The first frame after which sums are known.
    package var firstFrame: UInt64 { state.withLock(\.first) }

    /// - Returns: The sum over the frames after the first number up to the second one; `nil` if they are not all known.
    package func sum(after first: UInt64, through last: UInt64) -> UInt64? {
        state.withLock { state in
            guard state.first <= first, first <= last, last <= state.last else { return nil }
            return state.sums[Self.place(last)] &- state.sums[Self.place(first)]
        }
    }

    /// Records frames whose events have been handed to the loops, in order.
    func record(_ frames: [(number: UInt64, checksum: UInt64)]) {
        state.withLock { state in
            for frame in frames where frame.number > state.last {
                // A gap would make the sums of later frames differ from other nodes'.
                if frame.number > state.last + 1 { state.first = frame.number - 1 }
                let before = frame.number > state.last + 1 ? 0 : state.sums[Self.place(state.last)]
                state.sums[Self.place(frame.number - 1)] = before
                state.sums[Self.place(frame.number)] = before &+ frame.checksum
                state.last = frame.number
                state.first = max(state.first, state.last - min(state.last, UInt64(Self.capacity - 1)))
            }
        }
    }

    private static func place(_ frame: UInt64) -> Int { Int(frame % UInt64(capacity)) }

    /// The checksum of an event. It depends on the frame and the event's place in it, so that a sum shows changes in order.
    static func checksum(of event: [UInt8], frame: UInt64, index: Int) -> UInt64 {
        var crc = CRC32()
        event.withUnsafeBytes { crc.add($0) }
        // Two odd constants (Knuth's multiplicative hashing) spread what differs over all bits.
        let seed = (frame &* 0x9E37_79B9_7F4A_7C15) ^ (UInt64(index) &* 0xC2B2_AE3D_27D4_EB4F)
        return (seed ^ UInt64(crc.value)) &* 0xD6E8_FEB8_6659_FD93
    }
}
