import Testing

@testable import BelfryClient

struct BackoffTests {
    private let backoff = Backoff()

    @Test(arguments: [
        (0, 0.0, 200), (0, 1.0, 400), (1, 1.0, 600), (4, 0.5, 1_800), (6, 1.0, 13_000), (7, 1.0, 20_000),
        (1_000_000, 0.0, 200), (1_000_000, 0.5, 10_200), (Int.max, 1.0, 20_000), (-1, 0.0, 200),
    ])
    func `the range doubles with every attempt up to the maximum`(attempt: Int, random: Double, expected: Int) {
        #expect(backoff.delay(attempt: attempt, random: random) == .milliseconds(expected))
    }

    @Test func `the delay stays within its bounds for every attempt number and random value`() {
        for attempt in 0..<64 {
            for step in 0..<20 {
                let delay = backoff.delay(attempt: attempt, random: Double(step) / 20)
                #expect(delay >= .milliseconds(200) && delay <= .seconds(20))
            }
        }
    }

    @Test func `the delay between two addresses of a round is below the shortest delay between rounds`() {
        #expect(backoff.delayWithinRound(random: 0) == .zero)
        #expect(backoff.delayWithinRound(random: 0.5) == .milliseconds(100))
        #expect(backoff.delayWithinRound(random: 0.999) < backoff.delay(attempt: 0, random: 0))
        #expect(Backoff(minimum: .seconds(-1)).delayWithinRound(random: 0.5) == .zero)
    }

    @Test func `invalid settings still yield a delay`() {
        #expect(Backoff(minimum: .seconds(5), maximum: .seconds(1)).delay(attempt: 3, random: 0.5) == .seconds(5))
        #expect(Backoff(minimum: .zero, maximum: .zero).delay(attempt: 3, random: 0.5) == .zero)
        #expect(Backoff(minimum: .seconds(-1), maximum: .seconds(1)).delay(attempt: 9, random: 1) == .zero)
    }

    @Test(
        arguments: [
            (Duration.zero, 0), (.nanoseconds(1), 1), (.milliseconds(5), 5), (.seconds(-3), 0),
            (.seconds(Int64.max), 1_000_000_000_000),
        ] as [(Duration, Int64)])
    func `milliseconds are rounded up and bounded`(duration: Duration, milliseconds: Int64) {
        #expect(duration.wholeMilliseconds == milliseconds)
    }
}
