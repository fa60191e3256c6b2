/// The schedule of an open loop and its measured part.
struct Pace: Codable, Sendable, Equatable {
    /// Messages per second, for all senders together.
    var rate: Int
    var warmupSeconds: Int
    var seconds: Int

    /// Each stretch needs a histogram of 150 KB per loop.
    private static let stretchLimit = 120

    var warmupMessages: Int { warmupSeconds * rate }
    /// The number of all messages, including the warm-up.
    var messages: Int { (warmupSeconds + seconds) * rate }

    /// Returns the intended time of a message, in nanoseconds after the start.
    func intended(_ sequence: Int) -> UInt64 { Self.intended(sequence, rate: rate) }

    static func intended(_ sequence: Int, rate: Int) -> UInt64 {
        // A rate that does not divide a second must not drift.
        UInt64(sequence / rate) * 1_000_000_000 + UInt64(sequence % rate) * 1_000_000_000 / UInt64(rate)
    }

    /// The length of a stretch of the measured part, in seconds.
    var stretchSeconds: Int { max(1, (seconds + Self.stretchLimit - 1) / Self.stretchLimit) }
    var stretchCount: Int { (seconds + stretchSeconds - 1) / stretchSeconds }

    /// - Returns: nil for a warm-up message.
    func stretch(of sequence: Int) -> Int? {
        guard sequence >= warmupMessages else { return nil }
        let number = (sequence - warmupMessages) / rate / stretchSeconds
        return number < stretchCount ? number : nil
    }

    /// Sends each message at its intended time, regardless of earlier ones; blocks the calling thread.
    ///
    /// - Parameters:
    ///   - messages: The numbers of the messages, the first of which is sent at `start`.
    ///   - start: The start in nanoseconds of the monotonic clock.
    ///   - send: Also receives how late the tester itself was, in nanoseconds.
    func run(
        _ messages: Range<Int>, from start: UInt64,
        _ send: (_ sequence: Int, _ intended: UInt64, _ late: UInt64) -> Void
    ) {
        for sequence in messages {
            let intended = start + intended(sequence - messages.lowerBound)
            Clock.sleep(until: intended)
            send(sequence, intended, Clock.since(intended))
        }
    }
}
