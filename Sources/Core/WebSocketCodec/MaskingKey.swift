/// The four bytes that a client XORs with a payload so that proxies cannot mistake it for HTTP. RFC 6455 §5.3.
package struct MaskingKey: Hashable, Sendable {
    /// The key, with byte 0 in the lowest eight bits.
    private let word: UInt32

    /// Creates a key from its bytes in wire order.
    package init(_ byte0: UInt8, _ byte1: UInt8, _ byte2: UInt8, _ byte3: UInt8) {
        word = UInt32(byte0) | UInt32(byte1) << 8 | UInt32(byte2) << 16 | UInt32(byte3) << 24
    }

    /// Creates a key from 32 random bits in any byte order.
    package init(randomBits: UInt32) {
        word = randomBits
    }

    /// The key in wire order.
    package var bytes: [UInt8] {
        [
            UInt8(truncatingIfNeeded: word), UInt8(truncatingIfNeeded: word >> 8),
            UInt8(truncatingIfNeeded: word >> 16), UInt8(truncatingIfNeeded: word >> 24),
        ]
    }

    /// XORs `bytes` with the key in place. This both masks and unmasks.
    ///
    /// - Parameter phase: The number of payload bytes before `bytes`.
    package func apply(to bytes: UnsafeMutableRawBufferPointer, phase: Int = 0) {
        guard let base = bytes.baseAddress else { return }
        let pattern = pattern(phase: phase)
        let wide = SIMD4<UInt64>(repeating: pattern)
        let count = bytes.count
        var offset = 0
        // 32 bytes per step. SIMD4<UInt64> compiles to vector code; SIMD32<UInt8> becomes a loop over bytes.
        while count - offset >= 32 {
            let block = UnsafeRawPointer(base).loadUnaligned(fromByteOffset: offset, as: SIMD4<UInt64>.self)
            base.storeBytes(of: block ^ wide, toByteOffset: offset, as: SIMD4<UInt64>.self)
            offset += 32
        }
        while count - offset >= 8 {
            let block = UnsafeRawPointer(base).loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            base.storeBytes(of: block ^ pattern, toByteOffset: offset, as: UInt64.self)
            offset += 8
        }
        // Steps of 32 and 8 bytes keep the phase, because both are multiples of the key's four bytes.
        var rest = UInt64(littleEndian: pattern)
        while offset < count {
            bytes[offset] ^= UInt8(truncatingIfNeeded: rest)
            rest >>= 8
            offset += 1
        }
    }

    /// Returns the key repeated twice, rotated so that its byte `phase % 4` comes first in memory.
    private func pattern(phase: Int) -> UInt64 {
        let shift = UInt32(truncatingIfNeeded: phase & 3) * 8
        let turned = word >> shift | word << (32 - shift)
        return (UInt64(turned) << 32 | UInt64(turned)).littleEndian
    }
}
