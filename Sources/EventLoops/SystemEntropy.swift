import Glibc

/// The system's random numbers, fetched several at a time: `SystemRandomNumberGenerator` makes a system call for each.
///
/// A class, so that no copy can hand out the same numbers again. Used by one queue.
package final class SystemEntropy: RandomNumberGenerator {
    /// What getentropy(3) gives at most in one call.
    private static let words = 256 / MemoryLayout<UInt64>.size

    private var pool: [UInt64] = []

    package init() {}

    package func next() -> UInt64 {
        if pool.isEmpty { fill() }
        return pool.removeLast()
    }

    private func fill() {
        pool = Array(repeating: 0, count: Self.words)
        let result = pool.withUnsafeMutableBytes { getentropy($0.baseAddress, $0.count) }
        precondition(result == 0, "no randomness to be had")
    }
}
