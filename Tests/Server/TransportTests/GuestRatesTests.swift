import Testing
import Transport

@Suite struct GuestRatesTests {
    private func rates(perAddress: Int, secondsEach: Int) -> GuestRates {
        var limits = GuestRates.Limits()
        limits.perAddress = perAddress
        limits.secondsEach = secondsEach
        return GuestRates(limits)
    }

    @Test func `an address can create a burst of guests, and then one per interval`() {
        let rates = rates(perAddress: 2, secondsEach: 60)
        let waits = [0, 0, 0, 59_999, 60_000, 60_000].map { rates.charge("192.0.2.1", now: $0) }
        #expect(waits == [nil, nil, 60_000, 1, nil, 60_000])
        #expect(rates.charge("192.0.2.2", now: 0) == nil, "another address")
    }

    @Test func `the default is a burst of twenty, then one guest per minute`() {
        let rates = GuestRates(GuestRates.Limits())
        for _ in 0..<20 { #expect(rates.charge("192.0.2.1", now: 0) == nil) }
        #expect(rates.charge("192.0.2.1", now: 0) == 60_000)
    }

    @Test func `IPv6 addresses in one /64 are the same address, as are IPv4 and IPv4 mapped to IPv6`() {
        let rates = rates(perAddress: 1, secondsEach: 60)
        let taken = ["2001:db8::1", "2001:db8::2", "2001:db8:0:1::1", "::ffff:192.0.2.1", "192.0.2.1", nil, nil]
            .map { rates.charge($0, now: 0) == nil }
        #expect(taken == [true, false, true, true, false, true, false])
    }

    @Test(arguments: [("2001:db8:7:", "::1"), ("192.0.2.", "")])
    func `a network's burst is five times an address's, and each network has its own`(network: String, host: String) {
        let rates = rates(perAddress: 2, secondsEach: 60)
        var made = 0
        for number in 0..<200 where rates.charge("\(network)\(number)\(host)", now: 0) == nil { made += 1 }
        #expect(made == 10)
        #expect(rates.count == 10, "who is refused for the network is not remembered")
        #expect(rates.charge("\(network)250\(host)", now: 0) == 12_000)
        #expect(rates.charge("\(network)250\(host)", now: 12_000) == nil)
        #expect(rates.charge("2001:db8:8::1", now: 0) == nil && rates.charge("192.0.3.1", now: 0) == nil)
    }

    @Test func `an address that keeps trying after refusals does not affect its neighbours`() {
        let rates = rates(perAddress: 2, secondsEach: 60)
        for _ in 0..<1_000 { _ = rates.charge("192.0.2.1", now: 0) }
        for _ in 0..<2 { #expect(rates.charge("192.0.2.2", now: 0) == nil) }
    }

    @Test func `a /48 cannot fill the table of addresses`() {
        let rates = rates(perAddress: 20, secondsEach: 60)
        for number in 0..<65_536 { _ = rates.charge("2001:db8:7:\(String(number, radix: 16))::1", now: 0) }
        #expect(rates.count == 100)
        #expect(rates.charge("198.51.100.1", now: 0) == nil)
    }

    @Test func `addresses are discarded after a while, and beyond the limit new ones share a rate`() {
        let rates = rates(perAddress: 1, secondsEach: 60)
        for number in 0..<2_000 { _ = rates.charge("a\(number)", now: 0) }
        #expect(rates.count == 2_000)
        for number in 0..<100 { _ = rates.charge("b\(number)", now: 60_000) }
        #expect(rates.count < 2_100)
        for number in rates.count..<GuestRates.addresses { _ = rates.charge("c\(number)", now: 60_000) }
        #expect(rates.count == GuestRates.addresses)
        #expect(rates.charge("new", now: 60_000) == nil, "whoever filled the table shuts nobody out")
        #expect(rates.charge("new", now: 60_000) == 60_000)
        var made = 1
        for number in 0..<20_000 where rates.charge("d\(number)", now: 60_000) == nil { made += 1 }
        #expect((500...1_024).contains(made), "at most as many as there are shared buckets, however many come")
        #expect(rates.count == GuestRates.addresses)
        #expect(rates.charge("e", now: 120_000) == nil)
        #expect(rates.count == 1, "there is room again")
    }

    @Test func `at the limit, expired entries are searched for every ten seconds, not on every request`() {
        let rates = rates(perAddress: 1, secondsEach: 1)
        for number in 0..<GuestRates.addresses { _ = rates.charge("a\(number)", now: 5_000) }
        let times: [Int64] = [5_000, 6_000, 14_999, 15_000]
        let counts = times.map { time in
            _ = rates.charge("new", now: time)
            return rates.count
        }
        #expect(counts == [GuestRates.addresses, GuestRates.addresses, GuestRates.addresses, 1])
    }

    @Test func `a clock that is set back or has extreme values causes no trap`() {
        let rates = rates(perAddress: 1, secondsEach: 1)
        for number in 0..<GuestRates.addresses { _ = rates.charge("a\(number)", now: 50_000) }
        for now in [-1, .max, .min, 0, .max] as [Int64] { _ = rates.charge("new", now: now) }
        #expect(rates.count == 1)
    }
}
