internal import Cryptography

/// The first 128 bits of an encoded message's SHA-256. Each message contains that of the message before, so it proves
/// which log it belongs to.
package struct LogDigest: Hashable, Sendable, CustomStringConvertible {
    package let high: UInt64
    package let low: UInt64

    /// What the first message of a log has in place of a predecessor.
    package static let none = LogDigest(high: 0, low: 0)

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    package init(of message: [UInt8]) {
        var words: (high: UInt64, low: UInt64) = (0, 0)
        for byte in SHA256.hash(message).prefix(16) {
            words.high = words.high << 8 | words.low >> 56
            words.low = words.low << 8 | UInt64(byte)
        }
        self.init(high: words.high, low: words.low)
    }

    /// 32 hexadecimal digits.
    package var description: String {
        [high, low].map { word in
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 16 - digits.utf8.count) + digits
        }.joined()
    }
}
