import Testing

@testable import Replication

@Suite struct RosterTests {
    private let facts = NodeBeat.Facts(recordVersion: 4, version: "1", settingsDigest: [1], unicodeDigest: 7)

    private func beat(
        _ name: String, start: UInt64 = 1, role: NodeBeat.Role = .follower, applied: UInt64 = 0, last: UInt64 = 0,
        clock: Int64 = 0, facts: NodeBeat.Facts? = nil
    ) -> NodeBeat {
        NodeBeat(
            node: node(name, start: start), role: role, appliedFrame: applied, lastMessage: last, clock: clock,
            facts: facts ?? self.facts)
    }

    private func makeRoster() -> Roster { Roster(node: ann, facts: facts) }

    @Test func `a node departs after 3 s of silence`() {
        var roster = makeRoster()
        roster.receive(beat("bob"), at: 100, wallClock: 0)
        roster.receive(beat("cid"), at: 200, wallClock: 0)
        // Its own beats come back.
        roster.receive(beat("ann"), at: 200, wallClock: 0)
        #expect(roster.live(at: 3_099).map(\.beat.node.name) == ["bob", "cid"])
        #expect(roster.live(at: 3_100).map(\.beat.node.name) == ["cid"])
        #expect(roster.entries.map(\.beat.node.name) == ["bob", "cid"])
        roster.receive(beat("bob", last: 5), at: 9_000, wallClock: 0)
        #expect(roster.live(at: 9_000).map(\.beat.lastMessage) == [5])
    }

    @Test func `a sixty-fifth node is counted and ignored, until another has departed`() {
        var roster = makeRoster()
        for number in 0..<Roster.limit { roster.receive(beat("n\(number)"), at: Int64(number), wallClock: 0) }
        #expect(roster.ignored == 0)
        roster.receive(beat("bob"), at: 2_999, wallClock: 0)
        #expect(roster.ignored == 1)
        #expect(roster.entries.count == Roster.limit)
        // Those that are known are still heard.
        roster.receive(beat("n1", last: 9), at: 2_999, wallClock: 0)
        #expect(roster.ignored == 1)
        roster.receive(beat("bob"), at: 3_000, wallClock: 0)
        #expect(roster.ignored == 1)
        #expect(roster.entries.count == Roster.limit)
        #expect(!roster.entries.contains { $0.beat.node.name == "n0" })
    }

    @Test func `a restarted process takes the place of its predecessor`() {
        var roster = makeRoster()
        roster.receive(beat("bob", start: 1), at: 0, wallClock: 0)
        roster.receive(beat("bob", start: 2), at: 2_000, wallClock: 0)
        #expect(roster.problems(at: 2_900) == [])
        roster.receive(beat("bob", start: 3), at: 4_000, wallClock: 0)
        #expect(roster.entries.map(\.beat.node.start) == [2, 3])
    }

    @Test func `two live processes with one name are a problem`() {
        var roster = makeRoster()
        for time in [0, 250, 500] as [Int64] {
            roster.receive(beat("bob", start: 1), at: time, wallClock: 0)
            roster.receive(beat("bob", start: 2), at: time + 10, wallClock: 0)
        }
        #expect(roster.problems(at: 600) == [.sharedName("bob")])
        roster.receive(beat("bob", start: 2), at: 3_500, wallClock: 0)
        #expect(roster.problems(at: 3_500) == [])
        // The predecessor's last beat, and another process.
        roster.receive(beat("ann", start: 2), at: 4_000, wallClock: 0)
        #expect(roster.problems(at: 4_000) == [])
        roster.receive(beat("ann", start: 2), at: 4_250, wallClock: 0)
        #expect(roster.problems(at: 4_250) == [.sharedName("ann")])
    }

    @Test func `other records, settings, Unicode tables and clocks are problems`() {
        func problems(_ change: (inout NodeBeat.Facts) -> Void, clock: Int64 = 0) -> [Roster.Problem] {
            var (roster, facts) = (makeRoster(), facts)
            change(&facts)
            roster.receive(beat("bob", clock: clock, facts: facts), at: 0, wallClock: 5_000)
            return roster.problems(at: 0)
        }
        #expect(problems({ _ in }, clock: 6_000) == [])
        #expect(problems({ $0.recordVersion = 5 }, clock: 4_000) == [.newerRecords(bob, version: 5)])
        // The other node must be upgraded.
        #expect(problems({ $0.recordVersion = 3 }, clock: 5_000) == [])
        #expect(problems({ $0.settingsDigest = [2] }, clock: 5_000) == [.otherSettings(bob)])
        #expect(problems({ $0.keysDigest = [2] }, clock: 5_000) == [.otherKeys(bob)])
        #expect(problems({ $0.unicodeDigest = 8 }, clock: 5_000) == [.otherUnicode(bob)])
        #expect(problems({ _ in }, clock: 6_001) == [.clockOff(bob, milliseconds: 1_001)])
        #expect(problems({ _ in }, clock: 3_999) == [.clockOff(bob, milliseconds: -1_001)])
        #expect(problems({ _ in }, clock: .min) == [.clockOff(bob, milliseconds: .min)])
    }

    @Test func `folders of uploads are compared with nodes that name theirs`() {
        for (own, theirs, expected) in [
            ([1], [2], [.otherUploads(bob)]), ([1], [1], []), ([1], [], []), ([], [1], []),
        ] as [([UInt8], [UInt8], [Roster.Problem])] {
            var roster = Roster(node: ann, facts: NodeBeat.Facts(uploadsMark: own))
            roster.receive(beat("bob", facts: NodeBeat.Facts(uploadsMark: theirs)), at: 0, wallClock: 0)
            #expect(roster.problems(at: 0) == expected)
        }
    }

    @Test func `clocks are compared with nodes that were alive within the last hour, one for each name`() {
        var roster = makeRoster()
        roster.receive(beat("bob", start: 1, clock: 100), at: 0, wallClock: 0)
        roster.receive(beat("cid", clock: 7), at: 1_000, wallClock: 0)
        #expect(roster.clockDifferences(at: 10_000) == [100, 7])
        roster.receive(beat("bob", start: 2, clock: 50), at: 2_000, wallClock: 0)
        roster.receive(beat("ann", start: 2, clock: 9), at: 2_000, wallClock: 0)
        #expect(roster.clockDifferences(at: 10_000) == [50, 7])
        #expect(roster.clockDifferences(at: 3_600_999) == [50, 7])
        #expect(roster.clockDifferences(at: 3_601_000) == [50])
    }

    @Test func `the next writer is the most advanced live follower whose clock is right`() {
        var roster = makeRoster()
        #expect(roster.successors(at: 0) == [])
        roster.receive(beat("bob", applied: 5, last: 9), at: 0, wallClock: 0)
        roster.receive(beat("cid", applied: 7, last: 2), at: 0, wallClock: 0)
        roster.receive(beat("dan", applied: 7, last: 3), at: 0, wallClock: 0)
        roster.receive(beat("eve", applied: 9, clock: 2_000), at: 0, wallClock: 0)
        roster.receive(beat("fay", role: .candidate, applied: 9), at: 0, wallClock: 0)
        roster.receive(beat("gil", applied: 9), at: -3_000, wallClock: 0)
        #expect(roster.successors(at: 0).map(\.name) == ["dan", "cid", "bob", "eve"])
    }
}
