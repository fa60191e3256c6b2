/// A key that clients do not know, so that they cannot choose ids with the same hash.
package struct HashKey: Equatable, Sendable {
    package let low: UInt64
    package let high: UInt64

    package init(low: UInt64, high: UInt64) {
        self.low = low
        self.high = high
    }

    /// Differs per process, like the seed of Swift's own hashes.
    package static let ofProcess = {
        var generator = SystemRandomNumberGenerator()
        return HashKey(low: generator.next(), high: generator.next())
    }()
}

/// SipHash-1-3 (Aumasson and Bernstein, 2012), as Swift's own `Hasher`, but with a key that can be stored: a snapshot
/// has the hashes of client ids instead of the ids.
struct KeyedHash {
    private var v0: UInt64
    private var v1: UInt64
    private var v2: UInt64
    private var v3: UInt64
    private var tail: UInt64 = 0
    private var count: UInt64 = 0

    init(_ key: HashKey) {
        v0 = key.low ^ 0x736F_6D65_7073_6575
        v1 = key.high ^ 0x646F_7261_6E64_6F6D
        v2 = key.low ^ 0x6C79_6765_6E65_7261
        v3 = key.high ^ 0x7465_6462_7974_6573
    }

    mutating func combine(_ bytes: some Sequence<UInt8>) { for byte in bytes { combine(byte) } }

    mutating func combine(_ byte: UInt8) {
        tail |= UInt64(byte) << (8 * (count & 7))
        count &+= 1
        if count & 7 == 0 { compress() }
    }

    private mutating func compress() {
        v3 ^= tail
        round()
        v0 ^= tail
        tail = 0
    }

    func finalize() -> UInt64 {
        var hash = self
        hash.tail |= count << 56
        hash.compress()
        hash.v2 ^= 0xFF
        for _ in 0..<3 { hash.round() }
        return hash.v0 ^ hash.v1 ^ hash.v2 ^ hash.v3
    }

    private mutating func round() {
        v0 &+= v1
        v1 = Self.rotated(v1, 13) ^ v0
        v0 = Self.rotated(v0, 32)
        v2 &+= v3
        v3 = Self.rotated(v3, 16) ^ v2
        v0 &+= v3
        v3 = Self.rotated(v3, 21) ^ v0
        v2 &+= v1
        v1 = Self.rotated(v1, 17) ^ v2
        v2 = Self.rotated(v2, 32)
    }

    private static func rotated(_ value: UInt64, _ bits: UInt64) -> UInt64 { value << bits | value >> (64 - bits) }
}
