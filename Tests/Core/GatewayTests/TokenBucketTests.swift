import Gateway
import Testing

private func wait(_ bucket: inout TokenBucket, _ rate: TokenBucket.Rate, _ now: Int64) -> Int64? {
    bucket.consume(rate, now: now)
}

@Suite struct TokenBucketTests {
    @Test func `all remaining tokens can be taken at once`() {
        for rate in [(2, 5), (1, 1), (1_000, 3), (3, 7), (1_000_000, 1_000_000)] {
            let rate = TokenBucket.Rate(perSecond: rate.0, burst: rate.1)
            var bucket = TokenBucket()
            #expect(bucket.count(rate, now: 0) == rate.burst)
            for now in [0, 0, 1, 2, 400, 1_000, 1_001, 9_000, 3] as [Int64] {
                var copy = bucket
                var taken = 0
                while taken < 10, copy.consume(rate, now: now) == nil { taken += 1 }
                #expect(min(10, bucket.count(rate, now: now)) == taken, "\(rate) at \(now)")
                _ = bucket.consume(rate, now: now)
            }
        }
    }

    @Test(arguments: [(400, 2_000, 5), (200, 1_000, 5), (1, 1, 1), (1_000, 1, 1), (3, 7, 3), (1_000_000, 1_000_000, 1)])
    func `an empty bucket is full again in a fixed number of seconds`(perSecond: Int, burst: Int, seconds: Int64) {
        #expect(TokenBucket.Rate(perSecond: perSecond, burst: burst).secondsToFill == seconds)
    }

    @Test func `a rate below one per second has a bucket too`() {
        let rate = TokenBucket.Rate(secondsPerToken: 60, burst: 2)
        #expect(rate.secondsToFill == 120)
        var bucket = TokenBucket()
        let waits = [0, 0, 0, 59_999, 60_000, 60_000, 500_000, 500_000, 500_000].map { bucket.consume(rate, now: $0) }
        #expect(waits == [nil, nil, 60_000, 1, nil, 60_000, nil, nil, 60_000])
        #expect(TokenBucket.Rate(secondsPerToken: 0, burst: 1).secondsToFill == 1)
        #expect(TokenBucket.Rate(secondsPerToken: .max, burst: .max).secondsToFill > 0)
    }

    @Test func `a burst is available at once, then a fixed number per second`() {
        let rate = TokenBucket.Rate(perSecond: 4, burst: 2)
        var bucket = TokenBucket()
        let waits = [0, 0, 0, 249, 250, 251, 10_000, 10_000, 10_000].map { bucket.consume(rate, now: $0) }
        #expect(waits == [nil, nil, 250, 1, nil, 249, nil, nil, 250])
    }

    @Test func `a refusal costs no tokens`() {
        let rate = TokenBucket.Rate(perSecond: 1, burst: 1)
        var bucket = TokenBucket()
        #expect(wait(&bucket, rate, 0) == nil)
        for _ in 0..<1_000 { #expect(wait(&bucket, rate, 500) == 500) }
        #expect(wait(&bucket, rate, 1_000) == nil)
    }

    @Test func `in the long run no more is granted than the rate allows, however requests are spaced`() {
        for perSecond in [1, 3, 200, 999, 1_000_000] {
            let rate = TokenBucket.Rate(perSecond: perSecond, burst: 5)
            var bucket = TokenBucket()
            var given = 0
            for now in stride(from: 0, through: 2_000, by: 1) as StrideThrough<Int64> {
                for _ in 0..<3 where bucket.consume(rate, now: now) == nil { given += 1 }
            }
            #expect(given <= 2 * perSecond + 6 && given >= min(2 * perSecond, 3 * 2_001))
        }
    }

    @Test func `setting the clock back costs at most an empty bucket`() {
        let rate = TokenBucket.Rate(perSecond: 1, burst: 3)
        var bucket = TokenBucket()
        #expect(wait(&bucket, rate, 1_000_000) == nil)
        #expect(wait(&bucket, rate, 0) == 1_000)
        #expect(wait(&bucket, rate, 1_000) == nil)
    }

    @Test(arguments: [(Int.max, Int.max), (0, 0), (-1, -1), (1, Int.max), (Int.max, 1)])
    func `no rate or time causes a trap`(perSecond: Int, burst: Int) {
        let rate = TokenBucket.Rate(perSecond: perSecond, burst: burst)
        var bucket = TokenBucket()
        for now in [.min, -1, 0, 1, .max] as [Int64] { _ = bucket.consume(rate, now: now) }
    }

    @Test func `a full bucket can be discarded`() {
        let rate = TokenBucket.Rate(perSecond: 10, burst: 2)
        var bucket = TokenBucket()
        #expect(bucket.isFull(now: 0))
        _ = bucket.consume(rate, now: 0)
        #expect(!bucket.isFull(now: 99) && bucket.isFull(now: 100))
    }
}
