import Glibc

/// The system's random numbers, fetched in bulk: `SystemRandomNumberGenerator` makes one system call per number.
///
/// A class, so that no copy can return the same numbers again. Used on one queue.
package final class SystemEntropy: RandomNumberGenerator {
    /// Number of words in the most that getentropy(3) returns per call.
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
