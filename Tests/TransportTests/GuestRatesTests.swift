import Testing
import Transport

@Suite struct GuestRatesTests {
    private func rates(perAddress: Int, secondsEach: Int) -> GuestRates {
        var limits = GuestRates.Limits()
        limits.perAddress = perAddress
        limits.secondsEach = secondsEach
        return GuestRates(limits)
    }

    @Test func `an address makes so many guests at once, and then one in so many seconds`() {
        let rates = rates(perAddress: 2, secondsEach: 60)
        let waits = [0, 0, 0, 59_999, 60_000, 60_000].map { rates.take("192.0.2.1", now: $0) }
        #expect(waits == [nil, nil, 60_000, 1, nil, 60_000])
        #expect(rates.take("192.0.2.2", now: 0) == nil, "another address")
    }

    @Test func `the default is twenty at once and one a minute`() {
        let rates = GuestRates(GuestRates.Limits())
        for _ in 0..<20 { #expect(rates.take("192.0.2.1", now: 0) == nil) }
        #expect(rates.take("192.0.2.1", now: 0) == 60_000)
    }

    @Test func `the last half of an IPv6 address makes no other, nor IPv4 in IPv6's clothes`() {
        let rates = rates(perAddress: 1, secondsEach: 60)
        let taken = ["2001:db8::1", "2001:db8::2", "2001:db8:0:1::1", "::ffff:192.0.2.1", "192.0.2.1", nil, nil]
            .map { rates.take($0, now: 0) == nil }
        #expect(taken == [true, false, true, true, false, true, false])
    }

    @Test func `who made one long ago is forgotten, and beyond the bound nobody new makes any`() {
        let rates = rates(perAddress: 1, secondsEach: 60)
        for number in 0..<2_000 { _ = rates.take("a\(number)", now: 0) }
        #expect(rates.count == 2_000)
        for number in 0..<100 { _ = rates.take("b\(number)", now: 60_000) }
        #expect(rates.count < 2_100)
        for number in 0..<GuestRates.addresses { _ = rates.take("c\(number)", now: 60_000) }
        #expect(rates.count == GuestRates.addresses)
        #expect(rates.take("new", now: 60_000) == 60_000)
        #expect(rates.take("new", now: 120_000) == nil)
        #expect(rates.count == 1)
    }

    @Test func `at the bound it is looked every ten seconds who can be forgotten, not at each request`() {
        let rates = rates(perAddress: 1, secondsEach: 1)
        for number in 0..<GuestRates.addresses { _ = rates.take("a\(number)", now: 5_000) }
        let times: [Int64] = [5_000, 6_000, 14_999, 15_000]
        #expect(times.map { rates.take("new", now: $0) } == [1_000, 1_000, 1_000, nil])
        #expect(rates.count == 1)
    }

    @Test func `a clock that is set back or stands at its ends traps nothing`() {
        let rates = rates(perAddress: 1, secondsEach: 1)
        for number in 0..<GuestRates.addresses { _ = rates.take("a\(number)", now: 50_000) }
        for now in [-1, .max, .min, 0, .max] as [Int64] { _ = rates.take("new", now: now) }
        #expect(rates.count == 1)
    }
}
