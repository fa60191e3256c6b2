import ChatModel
import Gateway
import Testing
import WireProtocol

@Suite struct ConnectReplyTests {
    private func recovered(_ room: Room, _ offsets: ClosedRange<UInt64>, bytes size: Int) -> RoomGrant {
        grant(
            room, at: offsets.upperBound,
            recovery: .recovered(offsets.map { encodedEvent($0, "\"" + String(repeating: "x", count: size) + "\"") }))
    }

    @Test func `CH17: unrequested, impossible and successful recoveries are distinguished`() {
        let reply = ConnectReply(grants: [
            grant("#ann", at: 3), grant(general, at: 9, recovery: .impossible),
            grant(random, at: 5, recovery: .recovered([])), recovered("third", 4...5, bytes: 1),
        ])
        #expect(reply.subs.map(\.name) == ["#ann", "general", "random", "third"])
        #expect(reply.subs.map(\.result.wasRecovering) == [false, true, true, true])
        #expect(reply.subs.map(\.result.recovered) == [false, false, true, true])
        #expect(reply.subs.map(\.result.position.offset) == [3, 9, 5, 5])
        #expect(reply.subs.map(\.result.publications.count) == [0, 0, 0, 2])
        #expect(reply.overflow.isEmpty)
    }

    @Test
    func `CH17: events that do not fit follow as pushes, and the reply carries the offset of its last event`() throws {
        let grants = [
            recovered(general, 11...14, bytes: 300_000), recovered(random, 1...2, bytes: 1_000),
            recovered("third", 1...1, bytes: 900_000),
        ]
        let reply = ConnectReply(grants: grants, overflowBytes: 2_000_000)
        #expect(reply.subs.map(\.result.position.offset) == [12, 2, 0])
        #expect(reply.subs.map(\.result.publications.count) == [2, 2, 0])
        #expect(reply.subs.map(\.result.recovered) == [true, true, true])
        var pushed: [String] = []
        for envelope in reply.overflow {
            for message in try ServerMessage.decode(envelope.encoded(as: .json)) {
                guard case .push(let room, .publication(let publication)) = message else {
                    Issue.record("not a publication")
                    continue
                }
                pushed.append("\(room) \(publication.offset)")
            }
        }
        #expect(pushed == ["general 13", "general 14", "third 1"])
    }

    /// A small event must not overtake one of the same room that is too large to fit.
    @Test func `CH17: events within a room are never reordered`() {
        let large = recovered(general, 1...1, bytes: 900_000)
        let small = recovered(general, 2...2, bytes: 1)
        guard case .recovered(let one) = large.recovery, case .recovered(let two) = small.recovery else { return }
        let reply = ConnectReply(grants: [grant(general, at: 2, recovery: .recovered(one + two))])
        #expect(reply.subs[0].result.publications.isEmpty && reply.subs[0].result.position.offset == 0)
        #expect(reply.overflow.count == 2)
    }

    /// Regression: all rings together hold 256 MiB. A client that had missed much of it was sent everything in one turn
    /// and closed as slow.
    @Test func `CH17: rooms beyond the limit for subsequent pushes are marked as not recovered`() {
        let grants = [
            recovered(general, 1...2, bytes: 600_000), recovered(random, 1...2, bytes: 600_000),
            recovered("third", 1...2, bytes: 1_000),
        ]
        let reply = ConnectReply(grants: grants, overflowBytes: 1_000_000)
        #expect(reply.subs.map(\.result.recovered) == [true, false, true])
        #expect(reply.subs.map(\.result.wasRecovering) == [true, true, true])
        #expect(reply.subs.map(\.result.position.offset) == [1, 2, 2])
        #expect(reply.subs.map(\.result.publications.count) == [1, 0, 2])
        #expect(reply.overflow.count == 1)
    }

    @Test func `CH17: a reply with its pushes stays below 2 MiB, and a single full ring is always recovered`() {
        let rooms = (0..<17).map { recovered(Room(name: "r\($0)") ?? general, 1...10, bytes: 100_000) }
        let reply = ConnectReply(grants: rooms)
        let told = reply.subs.flatMap(\.result.publications).reduce(0) { $0 + $1.largestSize }
        let pushed = reply.overflow.reduce(0) { $0 + $1.encoded(as: .json).count }
        #expect(told < ConnectReply.roomBytes && pushed < ConnectReply.overflowBytes + 1_000)
        #expect(reply.subs.map(\.result.recovered) == [true] + Array(repeating: false, count: 16))
        #expect(reply.subs[0].result.publications.count + reply.overflow.count == 10)
    }

    @Test func `CH17: a full ring of small events is recovered even if the rooms leave no space in the reply`() {
        let reply = ConnectReply(grants: [recovered(general, 1...1_000, bytes: 1_046)], roomBytes: 0)
        #expect(reply.subs[0].result.recovered && reply.overflow.count == 1_000)
    }

    @Test(arguments: [0, 1, 2_000])
    func `CH17: a connect reply stays below 1 MiB, even with 2,000 rooms with long names`(rooms: Int) {
        let padding = String(repeating: "n", count: 95)
        let grants = (0..<rooms).map { number -> RoomGrant in
            let room = Room(name: "\(padding)\(number)") ?? general
            return recovered(room, 1...3, bytes: 500)
        }
        let reply = ConnectReply(grants: grants, overflowBytes: 4_000_000)
        let envelope = ServerEnvelope.connected(
            id: 1,
            ConnectResult(
                client: "c", version: "v", session: "s", node: "n", ttl: 1, pingSeconds: 25, data: [0x7B, 0x7D],
                subs: reply.subs))
        for form in WireForm.allCases {
            let bytes = envelope.encoded(as: form)
            #expect(bytes.count < 1_048_576, "\(form): \(bytes.count)")
        }
        let included = reply.subs.reduce(0) { $0 + $1.result.publications.count }
        #expect(included + reply.overflow.count == rooms * 3)
    }

    @Test func `CH7: late joiners recover the redacted form`() {
        let missed = encodedEvent(8, "whole", redacted: "ids", hidesBefore: 5)
        for (visibleFrom, form) in [(0, "whole"), (5, "whole"), (6, "ids")] as [(UInt64, String)] {
            let one = grant(general, at: 8, visibleFrom: visibleFrom, recovery: .recovered([missed]))
            #expect(ConnectReply(grants: [one]).subs[0].result.publications.map { text($0.data) } == [form])
            #expect(SubscribeResult(one).publications.map { text($0.data) } == [form])
        }
    }

    @Test func `CH17: a room that missed too many events is marked as not recovered`() {
        let grant = recovered(general, 1...2, bytes: 500)
        let answers = [2_000, 1_000].map { SubscribeResult(grant, bytes: $0) }
        #expect(answers.map(\.recovered) == [true, false] && answers.map(\.wasRecovering) == [true, true])
        #expect(answers.map(\.publications.count) == [2, 0] && answers.map(\.position.offset) == [2, 2])
    }

    @Test func `the subscribe reply distinguishes the three outcomes`() {
        let plain = SubscribeResult(grant(general, at: 4))
        #expect((plain.position.offset, plain.wasRecovering, plain.recovered) == (4, false, false))
        let impossible = SubscribeResult(grant(general, at: 4, recovery: .impossible))
        #expect((impossible.wasRecovering, impossible.recovered) == (true, false))
        let recovered = SubscribeResult(grant(general, at: 4, recovery: .recovered([encodedEvent(4, "x")])))
        #expect((recovered.wasRecovering, recovered.recovered, recovered.publications.count) == (true, true, 1))
    }
}
