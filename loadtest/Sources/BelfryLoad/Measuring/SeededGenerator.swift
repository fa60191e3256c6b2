import Foundation

/// SplitMix64, which yields the same numbers for the same seed on every machine.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    /// Returns a number from 0 up to but not including 1.
    mutating func fraction() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }

    /// Returns a number from 0 up to but not including `bound`, which is at least 1.
    mutating func number(below bound: Int) -> Int { Int(next() % UInt64(max(1, bound))) }
}

/// Draws numbers from a Zipf distribution: the n-th number, counted from 1, has the weight 1 / n^exponent.
///
/// An exponent of 0 gives equal weights; 1 fits words in a text and, roughly, rooms in a chat.
struct Zipf: Sendable {
    /// Cumulative shares, the last 1.
    private let sums: [Double]

    /// - Parameter count: At least 1.
    init(count: Int, exponent: Double) {
        var (sums, sum) = ([Double](), 0.0)
        sums.reserveCapacity(max(1, count))
        for number in 1...max(1, count) {
            sum += 1 / Self.power(Double(number), exponent)
            sums.append(sum)
        }
        self.sums = sums.map { $0 / sum }
    }

    /// - Returns: A number, counted from 0.
    func next(_ random: inout SeededGenerator) -> Int {
        let place = random.fraction()
        var (low, high) = (0, sums.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if sums[middle] > place { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Returns the share of a number, from 0 to 1.
    func share(of number: Int) -> Double {
        guard sums.indices.contains(number) else { return 0 }
        return number == 0 ? sums[0] : sums[number] - sums[number - 1]
    }

    private static func power(_ base: Double, _ exponent: Double) -> Double {
        exponent == 1 ? base : exponent == 0 ? 1 : pow(base, exponent)
    }
}
