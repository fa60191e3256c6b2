import Testing

@testable import Replication

@Suite struct ElectionTests {
    private let annsTerm = LogTerm(number: 1, writer: ann)

    /// Bob follows Ann's first term since time 0.
    private func makeFollower() -> Election {
        var election = Election(node: bob, at: 0)
        _ = election.saw(annsTerm, at: 0)
        return election
    }

    /// Bob is the writer of the second term since time 1000.
    private func makeWriter() -> Election {
        var election = makeFollower()
        _ = election.probed(annsTerm, .nobody, at: 0)
        _ = election.tick(at: 750)
        _ = election.probed(annsTerm, .nobody, at: 750)
        _ = election.reachedEnd()
        _ = election.saw(LogTerm(number: 2, writer: bob), at: 1_000)
        return election
    }

    @Test func `a follower asks after 750 ms of silence, once`() {
        var election = makeFollower()
        #expect(election.tick(at: 749) == [])
        #expect(election.tick(at: 750) == [.probeWriter(annsTerm)])
        #expect(election.tick(at: 800) == [])
        #expect(election.probed(annsTerm, .silence, at: 900) == [])
        #expect(election.tick(at: 900) == [.probeWriter(annsTerm)])
        #expect(election.probed(annsTerm, .reply(term: 1), at: 1_000) == [])
        #expect(election.tick(at: 1_749) == [])
        #expect(election.tick(at: 1_750) == [.probeWriter(annsTerm)])
        #expect(election.receivedBeat(ofTerm: 1, at: 1_800) == [])
        #expect(election.tick(at: 2_549) == [])
        #expect(election.tick(at: 2_550) == [.probeWriter(annsTerm)])
    }

    @Test func `a follower is a candidate at once if nobody serves the writer's subject`() {
        var election = makeFollower()
        #expect(election.tick(at: 750) == [.probeWriter(annsTerm)])
        #expect(election.probed(annsTerm, .nobody, at: 755) == [.applyToEnd])
        #expect(election.role == .candidate)
        #expect(election.reachedEnd() == [.startTerm(2)])
        #expect(election.reachedEnd() == [])
        let term = LogTerm(number: 2, writer: bob)
        #expect(election.saw(term, at: 760) == [.becomeWriter(term, pause: Election.lease), .sendBeat])
        #expect(election.role == .writer)
        #expect(election.tick(at: 1_009) == [])
        #expect(election.tick(at: 1_010) == [.sendBeat])
        #expect(election.tick(at: 1_011) == [])
    }

    @Test func `a follower is a candidate after 2.5 s of silence`() {
        var election = makeFollower()
        _ = election.tick(at: 750)
        _ = election.probed(annsTerm, .silence, at: 1_250)
        _ = election.tick(at: 1_250)
        #expect(election.tick(at: 2_499) == [])
        #expect(election.tick(at: 2_500) == [.applyToEnd])
        #expect(election.tick(at: 2_550) == [])
    }

    @Test func `without any term, a node is a candidate after 750 ms`() {
        var election = Election(node: bob, at: 100)
        #expect(election.tick(at: 849) == [])
        #expect(election.tick(at: 850) == [.applyToEnd])
        #expect(election.reachedEnd() == [.startTerm(1)])
    }

    @Test func `an answer about an earlier term or writer is ignored`() {
        var election = makeFollower()
        _ = election.tick(at: 750)
        let next = LogTerm(number: 2, writer: node("cid"))
        #expect(election.saw(next, at: 760) == [])
        #expect(election.probed(annsTerm, .nobody, at: 770) == [])
        #expect(election.role == .follower)
        #expect(election.receivedBeat(ofTerm: 1, at: 1_500) == [])
        #expect(election.tick(at: 1_510) == [.probeWriter(next)])
        #expect(election.probed(next, .reply(term: 1), at: 1_520) == [])
        #expect(election.tick(at: 1_530) == [.probeWriter(next)])
    }

    @Test func `a beat calls off a candidacy until the append is in flight`() {
        var election = makeFollower()
        _ = election.tick(at: 2_500)
        #expect(election.receivedBeat(ofTerm: 1, at: 2_510) == [])
        #expect(election.role == .follower)
        #expect(election.reachedEnd() == [])
        _ = election.tick(at: 5_010)
        _ = election.reachedEnd()
        #expect(election.receivedBeat(ofTerm: 1, at: 5_020) == [])
        #expect(election.role == .starting)
    }

    @Test func `a beat of a later term sends everyone to the log`() {
        var follower = makeFollower()
        #expect(follower.receivedBeat(ofTerm: 2, at: 10) == [.applyToEnd])
        var writer = makeWriter()
        #expect(writer.role == .writer)
        #expect(writer.receivedBeat(ofTerm: 2, at: 1_100) == [])
        #expect(writer.receivedBeat(ofTerm: 3, at: 1_100) == [.applyToEnd])
        #expect(writer.role == .writer)
    }

    @Test func `a candidate that loses follows the winner, or tries again if there is none`() {
        var election = makeFollower()
        _ = election.tick(at: 2_500)
        _ = election.reachedEnd()
        var other = election
        #expect(election.lostAppend() == [.applyToEnd])
        #expect(election.reachedEnd() == [.startTerm(2)])
        let term = LogTerm(number: 2, writer: node("cid"))
        #expect(other.saw(term, at: 2_600) == [])
        #expect(other.role == .follower)
        #expect(other.lostAppend() == [])
        #expect(other.tick(at: 3_349) == [])
        #expect(other.tick(at: 3_350) == [.probeWriter(term)])
    }

    @Test func `a writer steps down when the log has another term or another message`() {
        var election = makeWriter()
        #expect(election.saw(LogTerm(number: 3, writer: ann), at: 2_000) == [.stepDown])
        #expect(election.role == .deposed)
        #expect(election.saw(LogTerm(number: 3, writer: ann), at: 2_000) == [])
        #expect(election.tick(at: 9_000) == [])
        #expect(election.lostAppend() == [])
        var other = makeWriter()
        #expect(other.lostAppend() == [.stepDown])
        #expect(other.role == .deposed)
    }

    /// The process that won a term ended before it knew. Its successor of the same name does not take over the term.
    @Test func `a term of an earlier process of the same node is another's`() {
        var election = Election(node: node("bob", start: 2), at: 0)
        _ = election.tick(at: 750)
        _ = election.reachedEnd()
        #expect(election.saw(LogTerm(number: 1, writer: bob), at: 800) == [])
        #expect(election.role == .follower)
    }

    @Test func `the first writer of a log decides at once`() {
        var election = Election(node: bob, at: 0)
        _ = election.saw(LogTerm(number: 0, writer: ann), at: 0)
        _ = election.tick(at: 2_500)
        #expect(election.reachedEnd() == [.startTerm(1)])
        let term = LogTerm(number: 1, writer: bob)
        #expect(election.saw(term, at: 2_510) == [.becomeWriter(term, pause: 0), .sendBeat])
    }

    @Test func `whoever was asked to take over an earlier term waits for the lease of a later one`() {
        var election = makeFollower()
        _ = election.receivedHandover(afterTerm: 1)
        _ = election.saw(LogTerm(number: 2, writer: ann), at: 100)
        #expect(election.role == .follower)
        _ = election.tick(at: 2_600)
        _ = election.reachedEnd()
        let term = LogTerm(number: 3, writer: bob)
        #expect(election.saw(term, at: 2_700) == [.becomeWriter(term, pause: Election.lease), .sendBeat])
    }

    @Test func `a writer hands over, and late beats do not stop the successor`() {
        var writer = makeWriter()
        #expect(writer.handOver(to: ann) == [.sendHandover(to: ann, term: 2)])
        #expect(writer.isHandingOver)
        var successor = Election(node: ann, at: 0)
        _ = successor.saw(LogTerm(number: 2, writer: bob), at: 1_000)
        #expect(successor.receivedHandover(afterTerm: 1) == [])
        #expect(successor.receivedHandover(afterTerm: 2) == [.applyToEnd])
        #expect(successor.receivedHandover(afterTerm: 2) == [])
        #expect(successor.receivedBeat(ofTerm: 2, at: 1_010) == [])
        #expect(successor.reachedEnd() == [.startTerm(3)])
        let term = LogTerm(number: 3, writer: ann)
        #expect(successor.saw(term, at: 1_020) == [.becomeWriter(term, pause: 0), .sendBeat])
        #expect(writer.saw(term, at: 1_030) == [.stepDown])
        #expect(!writer.isHandingOver)
        #expect(writer.handOver(to: ann) == [])
    }

    @Test(
        arguments: [
            ([], false), ([1_000, -1_000], false), ([1_001, 0], false), ([1_001, -1_001], true), ([1_001], true),
            ([.min, .max], true), ([3_600_000, 0, 0], false), ([3_600_000, 3_600_000, 0], true),
        ] as [([Int64], Bool)])
    func `a node whose clock differs from most others is no candidate`(differences: [Int64], isOff: Bool) {
        var election = makeFollower()
        election.compareClocks(differences)
        #expect(election.isClockOff == isOff)
        #expect(election.tick(at: 2_500) == (isOff ? [] : [.applyToEnd]))
        var other = makeFollower()
        other.compareClocks(differences)
        #expect(other.receivedHandover(afterTerm: 1) == (isOff ? [] : [.applyToEnd]))
        // Also while a probe of the writer has no answer yet.
        var probing = makeFollower()
        probing.compareClocks(differences)
        _ = probing.tick(at: 750)
        #expect(probing.tick(at: 2_500) == (isOff ? [] : [.applyToEnd]))
    }

    @Test func `a candidate that was cut off follows again once it hears the bus`() {
        var election = makeFollower()
        #expect(election.tick(at: 2_500) == [.applyToEnd])
        election.busReturned(at: 9_000)
        #expect(election.role == .follower)
        #expect(election.reachedEnd() == [])
        #expect(election.tick(at: 9_749) == [])
        #expect(election.tick(at: 9_750) == [.probeWriter(annsTerm)])
    }

    @Test func `a node that is short of space is a candidate only when nobody else has become the writer for 10 s`() {
        var election = makeFollower()
        election.isShort = true
        #expect(election.receivedHandover(afterTerm: 1) == [])
        #expect(election.tick(at: 750) == [.probeWriter(annsTerm)])
        #expect(election.probed(annsTerm, .nobody, at: 755) == [])
        #expect(election.tick(at: 9_999) == [])
        #expect(election.tick(at: 10_000) == [.applyToEnd])
        var freed = makeFollower()
        freed.isShort = true
        #expect(freed.tick(at: 2_500) == [])
        freed.isShort = false
        #expect(freed.tick(at: 2_550) == [.applyToEnd])
    }

    @Test func `a term that was seen before changes nothing`() {
        var writer = makeWriter()
        #expect(writer.saw(LogTerm(number: 2, writer: bob), at: 2_000).isEmpty)
        #expect(writer.saw(annsTerm, at: 2_000).isEmpty)
        #expect(writer.role == .writer)
    }
}
