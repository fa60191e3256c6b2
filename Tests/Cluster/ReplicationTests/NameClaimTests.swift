import Testing

@testable import Replication

@Suite struct NameClaimTests {
    private let second = node("ann", start: 2)

    @Test func `a name that nobody serves is held at once`() {
        var claim = NameClaim(second, at: 100)
        #expect(claim.asks(at: 100) == true)
        #expect(claim.asks(at: 101) == false)
        claim.receive(.nobody, at: 101)
        #expect(claim.state == .held)
        #expect(claim.asks(at: 1_000) == false)
    }

    @Test func `a name is taken if another process still answers after 3 s`() {
        var claim = NameClaim(second, at: 0)
        #expect(claim.asks(at: 0) == true)
        claim.receive(.reply([]), at: 5)
        #expect(claim.asks(at: 249) == false)
        #expect(claim.asks(at: 250) == true)
        claim.receive(.reply([]), at: 2_999)
        #expect(claim.state == .open)
        claim.receive(.reply([]), at: 3_000)
        #expect(claim.state == .taken)
        claim.receive(.nobody, at: 3_001)
        #expect(claim.state == .taken)
        #expect(claim.asks(at: 9_000) == false)
    }

    @Test func `a name is held after 3 s of silence`() {
        var claim = NameClaim(second, at: 0)
        claim.receive(.silence, at: 2_999)
        #expect(claim.state == .open)
        claim.hear(ann, at: 2_999)
        claim.receive(.silence, at: 5_998)
        #expect(claim.state == .open)
        claim.receive(.silence, at: 5_999)
        #expect(claim.state == .held)
    }

    @Test func `a beat of another process is a sign of life`() {
        var claim = NameClaim(second, at: 0)
        claim.hear(ann, at: 2_000)
        #expect(claim.state == .open)
        claim.hear(ann, at: 3_000)
        #expect(claim.state == .taken)
    }

    @Test func `of two nodes with one name, the one that was replaced leaves`() {
        var (earlier, later) = (NameClaim(ann, at: 0), NameClaim(second, at: 0))
        earlier.receive(.nobody, at: 0)
        later.receive(.nobody, at: 0)
        earlier.hear(second, at: 1)
        #expect(earlier.state == .taken)
        later.hear(ann, at: 1)
        #expect(later.state == .held)
    }
}
