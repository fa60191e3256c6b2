import ChatModel
import Gateway
import Testing
import Transport

@Suite struct StrangerRatesTests {
    private func rates(perSecond: Int, burst: Int) -> StrangerRates {
        var limits = StrangerRates.Limits()
        limits.requests = TokenBucket.Rate(perSecond: perSecond, burst: burst)
        return StrangerRates(limits)
    }

    @Test func `an address has a burst and then a rate, separate from other addresses`() {
        let rates = rates(perSecond: 1, burst: 2)
        #expect([0, 0, 0, 999, 1_000].map { rates.charge("192.0.2.1", now: $0) } == [nil, nil, 1_000, 1, nil])
        #expect(rates.charge("192.0.2.2", now: 0) == nil, "neighbours of an IPv4 address are other people")
    }

    @Test func `an expensive request costs more, but never more than the maximum`() {
        let rates = rates(perSecond: 1, burst: 10)
        #expect(rates.charge("192.0.2.1", 6, now: 0) == nil)
        #expect(rates.charge("192.0.2.1", 6, now: 0) == 2_000)
        #expect(rates.charge("192.0.2.1", 4, now: 0) == nil, "a refusal takes nothing")
        #expect(rates.charge("192.0.2.2", 1_000_000, now: 0) == nil)
        #expect(rates.charge("192.0.2.2", .max, now: 0) == 10_000)
    }

    @Test func `an address is refunded when the client turns out to be authenticated`() {
        let rates = rates(perSecond: 1, burst: 10)
        for _ in 0..<100 {
            #expect(rates.charge("2001:db8::1", 10, now: 0) == nil)
            rates.refund("2001:db8::1", 10)
        }
        rates.refund("192.0.2.9", 5)
        #expect(rates.charge("2001:db8::1", 10, now: 0) == nil)
        #expect(rates.charge("2001:db8::1", now: 0) == 1_000)
    }

    @Test func `an IPv6 network has five times the rate of one of its addresses`() {
        let rates = rates(perSecond: 1, burst: 2)
        var asked = 0
        for number in 0..<200 where rates.charge("2001:db8:7:\(number)::1", now: 0) == nil { asked += 1 }
        #expect(asked == 10)
        #expect(rates.count == 10, "no network fills the table")
        #expect(rates.charge("2001:db8:8::1", now: 0) == nil)
    }

    @Test func `changed limits apply immediately, and extreme values cause no trap`() {
        let rates = rates(perSecond: .max, burst: .max)
        for now in [0, -1, .max, .min] as [Int64] {
            _ = rates.charge("2001:db8::1", .max, now: now)
            rates.refund("2001:db8::1", .max)
        }
        var limits = StrangerRates.Limits()
        limits.requests = TokenBucket.Rate(perSecond: 1, burst: 1)
        rates.adopt(limits)
        #expect(rates.charge(nil, now: 0) == nil)
        #expect(rates.charge(nil, now: 0) == 1_000, "those whose address is not known are one")
    }
}

@Suite struct CommandBytesTests {
    @Test(arguments: [(0, 1), (16_383, 1), (16_384, 2), (65_536, 5), (1_048_576, 65), (.max, 100), (-1, 1)])
    func `a command counts once, plus once for every 16 KiB`(bytes: Int, tokens: Int) throws {
        let ann = try #require(UserID("ann"))
        let rates = CommandRates(TokenBucket.Rate(perSecond: 1, burst: 100))
        #expect(rates.charge(ann, bytes: bytes, now: 0) == nil)
        var left = 0
        while rates.charge(ann, now: 0) == nil { left += 1 }
        #expect(left == 100 - tokens)
    }

    @Test func `refusing a large command does not affect small ones`() throws {
        let ann = try #require(UserID("ann"))
        let rates = CommandRates(TokenBucket.Rate(perSecond: 1, burst: 100))
        #expect(rates.charge(ann, bytes: 1_048_576, now: 0) == nil)
        #expect(rates.charge(ann, bytes: 1_048_576, now: 0) == 30_000)
        #expect(rates.charge(ann, now: 0) == nil)
    }
}

@Suite struct FileSharesTests {
    @Test func `once half of all files are open, a user can open an eighth of the rest, and the last are the app's`() {
        let limits = FileStore.Limits()
        let shares = [0, 127, 128, 192, 232, 239, 240, 256].map { limits.openFilesOfUser(inUse: $0) }
        #expect(shares == [32, 32, 16, 8, 3, 2, 0, 0])
    }

    @Test func `eight users who open all the files they can leave room for a dozen others`() {
        let limits = FileStore.Limits()
        var taken = 0
        func take() -> Int {
            var own = 0
            while own < limits.openFilesOfUser(inUse: taken) {
                own += 1
                taken += 1
            }
            return own
        }
        for _ in 0..<8 { #expect(take() > 0) }
        for _ in 0..<12 { #expect(take() > 0) }
    }

    @Test func `a file store with a single place still serves users`() {
        var limits = FileStore.Limits()
        limits.openFiles = 1
        #expect(limits.openFilesOfUser(inUse: 0) > 0)
        #expect(limits.openFilesOfUser(inUse: 1) == 0)
    }
}
