import ChatModel
import Gateway
import Testing

@testable import Transport

@Suite struct ConnectionCensusTests {
    private static func census(_ change: (inout ConnectionCensus.Limits) -> Void) -> ConnectionCensus {
        var limits = ConnectionCensus.Limits()
        change(&limits)
        return ConnectionCensus(limits)
    }

    /// Returns why a new connection is refused; nil if it is accepted.
    private static func refusal(_ census: ConnectionCensus, _ address: String) -> ConnectionCensus.Refusal? {
        do throws(ConnectionCensus.Refusal) {
            _ = try CensusEntry(in: census, address: address)
            return nil
        } catch {
            return error
        }
    }

    @Test func `each address has a separate connection limit`() throws {
        let census = Self.census { $0.perAddress = 2 }
        let first = try CensusEntry(in: census, address: "a")
        let second = try CensusEntry(in: census, address: "a")
        #expect(Self.refusal(census, "a") == .address)
        #expect(Self.refusal(census, "b") == nil)
        _ = consume second
        #expect(Self.refusal(census, "a") == nil)
        _ = consume first
    }

    @Test func `a /64 counts as one address, and a /48 is limited like two`() throws {
        let census = Self.census { $0.perAddress = 2 }
        func place(_ address: String) throws(ConnectionCensus.Refusal) -> CensusEntry {
            try CensusEntry(in: census, address: address)
        }
        let first = try place("2001:db8:7:1::1")
        let second = try place("2001:db8:7:1:ffff::2")
        #expect(Self.refusal(census, "2001:db8:7:1::3") == .address)
        let third = try place("2001:db8:7:2::1")
        let fourth = try place("2001:db8:7:3::1")
        for number in 4..<100 { #expect(Self.refusal(census, "2001:db8:7:\(number)::1") == .address) }
        #expect(Self.refusal(census, "2001:db8:8::1") == nil && Self.refusal(census, "192.0.2.1") == nil)
        _ = consume fourth
        #expect(Self.refusal(census, "2001:db8:7:4::1") == nil, "who was refused has taken nothing")
        #expect(Self.refusal(census, "2001:db8:7:1::3") == .address)
        _ = consume first
        #expect(Self.refusal(census, "2001:db8:7:1::3") == nil)
        _ = consume second
        _ = consume third
        // Neighbouring IPv4 addresses share nothing.
        let one = try place("192.0.2.1")
        let two = try place("192.0.2.1")
        #expect(Self.refusal(census, "192.0.2.1") == .address && Self.refusal(census, "192.0.2.2") == nil)
        _ = consume one
        _ = consume two
    }

    @Test func `unauthenticated connections are limited, and authenticating frees a place`() throws {
        let census = Self.census { $0.unauthenticated = 1 }
        var first = try CensusEntry(in: census, address: "a")
        #expect(Self.refusal(census, "a") == .unauthenticated)
        first.authenticate()
        first.authenticate()
        let second = try CensusEntry(in: census, address: "a")
        #expect(Self.refusal(census, "a") == .unauthenticated)
        _ = consume second
        #expect(Self.refusal(census, "a") == nil)
        _ = consume first
        #expect(Self.refusal(census, "a") == nil, "one that had its place back does not give it back twice")
    }

    @Test func `changed limits apply to new connections, and existing ones stay`() throws {
        let census = Self.census { $0.perAddress = 2 }
        let first = try CensusEntry(in: census, address: "a")
        let second = try CensusEntry(in: census, address: "a")
        var limits = ConnectionCensus.Limits()
        limits.perAddress = 1
        census.adopt(limits)
        #expect(Self.refusal(census, "a") == .address)
        _ = consume second
        #expect(Self.refusal(census, "a") == .address, "still as many as there may be")
        limits.perAddress = 2
        limits.unauthenticated = 1
        census.adopt(limits)
        #expect(Self.refusal(census, "a") == .unauthenticated)
        _ = consume first
        #expect(Self.refusal(census, "a") == nil)
    }

    @Test func `sessions are limited per user, and each connection counts once`() throws {
        let census = Self.census { $0.perUser = 1 }
        let (ann, bob) = (try #require(UserID("ann")), try #require(UserID("bob")))
        var first = try CensusEntry(in: census, address: "a")
        let ofFirst = [first.enter(as: ann), first.enter(as: ann), first.enter(as: bob)]
        #expect(ofFirst == [true, true, false])
        var second = try CensusEntry(in: census, address: "a")
        let ofSecond = [second.enter(as: ann), second.enter(as: bob)]
        #expect(ofSecond == [false, true])
        _ = consume first
        var third = try CensusEntry(in: census, address: "a")
        let isThere = third.enter(as: ann)
        #expect(isThere)
    }

    @Test func `unauthenticated connections share one byte budget, beyond which each has a small one`() throws {
        let census = Self.census { $0.unauthenticatedBytes = 100_000 }
        var large = try CensusEntry(in: census, address: "a")
        let first = [90_000, 100_000].map { large.setHeldBytes($0) }
        var small = try CensusEntry(in: census, address: "a")
        let beyond = [4_096, 4_097].map { small.setHeldBytes($0) }
        // Holding fewer bytes than before is always allowed.
        let less = large.setHeldBytes(50_000)
        let again = small.setHeldBytes(20_000)
        #expect(first == [true, true] && beyond == [true, false] && less && again)
        _ = consume small
        large.authenticate()
        let known = large.setHeldBytes(1_000_000)
        var other = try CensusEntry(in: census, address: "a")
        let last = [100_000, 100_001].map { other.setHeldBytes($0) }
        #expect(known && last == [true, false])
    }

    @Test func `a user has one budget for all connections, and idle users are discarded`() throws {
        let rates = CommandRates(TokenBucket.Rate(perSecond: 1, burst: 2))
        let ann = try #require(UserID("ann"))
        #expect([0, 0, 0].map { rates.charge(ann, now: $0) } == [nil, nil, 1_000])
        for number in 0..<5_000 { _ = rates.charge(try #require(UserID("u\(number)")), now: Int64(number) * 10) }
        #expect(rates.count < 2_500)
    }
}
