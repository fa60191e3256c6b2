/// When messages leave in an open loop, and which of them are measured.
struct Pace: Codable, Sendable, Equatable {
    /// Messages a second, of all senders together.
    var rate: Int
    var warmupSeconds: Int
    var seconds: Int

    /// A stretch has a histogram of 150 KB in each loop.
    private static let stretchLimit = 120

    var warmupMessages: Int { warmupSeconds * rate }
    /// All of them, with those of the warm-up.
    var messages: Int { (warmupSeconds + seconds) * rate }

    /// When a message is to leave, in nanoseconds after the start.
    func intended(_ sequence: Int) -> UInt64 { Self.intended(sequence, rate: rate) }

    static func intended(_ sequence: Int, rate: Int) -> UInt64 {
        // A rate that does not divide a second must not drift.
        UInt64(sequence / rate) * 1_000_000_000 + UInt64(sequence % rate) * 1_000_000_000 / UInt64(rate)
    }

    /// Seconds of the measured part that are told apart from the next as many.
    var stretchSeconds: Int { max(1, (seconds + Self.stretchLimit - 1) / Self.stretchLimit) }
    var stretchCount: Int { (seconds + stretchSeconds - 1) / stretchSeconds }

    /// - Returns: nil for a message of the warm-up.
    func stretch(of sequence: Int) -> Int? {
        guard sequence >= warmupMessages else { return nil }
        let number = (sequence - warmupMessages) / rate / stretchSeconds
        return number < stretchCount ? number : nil
    }

    /// Blocks the calling thread for as long as the messages say, and hands each out at its time, whatever became of
    /// those before.
    ///
    /// - Parameters:
    ///   - messages: Which of them; the first leaves at `start`.
    ///   - start: In nanoseconds of the monotonic clock.
    ///   - late: How late the tester itself was, in nanoseconds.
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
