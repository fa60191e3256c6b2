import ChatModel
import Gateway
import TestSupport
import Testing
import WireProtocol

@Suite struct LoopHubTests {
    @Test func `US6: every attachment ends exactly once, whether it is detached, disconnected or too late`() {
        let loop = PlainLoop()
        let (one, two) = (loop.attach(ann, grant(general)), loop.attach(ann, grant(general)))
        loop.hub.detach(one)
        loop.hub.detach(one)
        #expect(loop.ended == [ann])
        loop.hub.disconnect(ann)
        loop.hub.detach(two)
        #expect(loop.ended == [ann, ann])
        loop.hub.returnGrants(
            of: Attachment(user: User(id: bob, nickname: "Bob"), emojiHash: "", grants: [grant(general)]))
        #expect(loop.ended == [ann, ann, bob] && loop.hub.roomCount == 0)
        loop.hub.returnGrants([grant(general)])
        loop.hub.detach(PlainEar())
        #expect(loop.ended.count == 3, "a room or a listener that was never attached ends nothing")
    }

    @Test func `room statistics count subscribers, and publications since the first subscription`() {
        let loop = PlainLoop()
        loop.say("nobody hears this", in: general)
        let one = loop.attach(ann, grant(general), grant("#ann"))
        loop.say("1", in: general)
        _ = loop.attach(bob, grant(general), grant(random))
        loop.say("2", in: general, redacted: "-", hidesBefore: 1)
        #expect(
            loop.hub.figures(after: nil, limit: 2) == [
                RoomFigures(room: general, subscribers: 2, publications: 2),
                RoomFigures(room: random, subscribers: 1, publications: 0),
            ])
        #expect(loop.hub.figures(after: general, limit: 9).map(\.room) == [random, "#ann"])
        loop.hub.detach(one)
        #expect(loop.hub.figures(after: nil, limit: 9).map(\.subscribers) == [1, 1])
    }

    @Test func `the events of a turn are sent as one write per member, in order`() {
        let loop = PlainLoop()
        let (one, two) = (loop.attach(ann, grant(general)), loop.attach(bob, grant(general)))
        for word in ["a", "b", "c"] { loop.say(word, in: general) }
        #expect(one.writes.isEmpty)
        loop.hub.flush()
        #expect(one.writes == ["abc"] && two.writes == ["abc"])
        loop.hub.flush()
        #expect(one.writes.count == 1)
        #expect(loop.hub.deliveryCount == 6)
        loop.say("unheard", in: random)
        loop.hub.flush()
        #expect(one.heard == "abc")
    }

    /// Regression: each reply visited every room with a batch, so 4,000 of each in one turn took seconds in a debug
    /// build.
    @Test(.timeLimit(.minutes(10)))
    func `the cost of many rooms and many answers in one turn is their sum, not their product`() {
        let loop = PlainLoop()
        let quiet = loop.attach(bob, grant(random))
        let names = (0..<30_000).map { Room(name: "room-\($0)") ?? general }
        let ears = names.map { loop.attach(ann, grant($0)) }
        for name in names {
            loop.say("event", in: name)
            loop.hub.write(bytes("answer"), to: quiet)
        }
        #expect(quiet.writes.count == names.count)
        #expect(ears.allSatisfy { $0.writes.isEmpty })
        loop.hub.flush()
        #expect(ears.allSatisfy { $0.writes == ["event"] })
    }

    @Test func `US2: a disconnected user receives all earlier events on every device, and no later ones`() {
        let loop = PlainLoop()
        let devices = [loop.attach(bob, grant(general)), loop.attach(bob, grant(general))]
        let other = loop.attach(ann, grant(general))
        loop.say("before ", in: general)
        loop.hub.disconnect(bob)
        loop.say("after", in: general)
        loop.hub.flush()
        #expect(devices.allSatisfy { $0.writes == ["before ", "disconnected 3503"] })
        #expect(other.heard == "before after")
        #expect(loop.hub.userCount == 1)
        loop.hub.disconnect(bob)
        #expect(devices.allSatisfy { $0.writes.count == 2 })
    }

    @Test func `revoking tokens disconnects connections by the token they presented last`() {
        let loop = PlainLoop()
        let old = loop.attach(bob, issuedAt: 99, grant(general))
        let new = loop.attach(bob, issuedAt: 100, grant(general))
        let nameless = loop.attach(bob, issuedAt: 0, grant(general))
        let unjudged = loop.attach(bob, grant(general))
        let refreshed = loop.attach(bob, issuedAt: 1, grant(general))
        let other = loop.attach(ann, issuedAt: 1, grant(general))
        loop.hub.renew(refreshed, as: Identity(user: bob, validFor: nil, issuedAt: 100))
        loop.say("before", in: general)
        loop.hub.disconnect(bob, issuedBefore: 100)
        loop.hub.flush()
        for gone in [old, nameless] { #expect(gone.writes == ["before", "disconnected 3500"]) }
        for there in [new, unjudged, refreshed, other] { #expect(there.writes == ["before"]) }
        loop.hub.renew(new, as: Identity(user: ann, validFor: nil, issuedAt: 1))
        loop.hub.disconnect(bob, issuedBefore: 100)
        #expect(new.writes == ["before"], "the token is another user's")
        loop.hub.renew(new, as: Identity(user: bob, validFor: nil, issuedAt: 1))
        loop.hub.disconnect(bob, issuedBefore: 100)
        #expect(new.writes == ["before", "disconnected 3500"])
        #expect(loop.ended == [bob, bob, bob])
    }

    @Test func `CH16: after a history reset, events about earlier messages carry ids only`() {
        let loop = PlainLoop()
        let one = loop.attach(ann, grant(general))
        let two = loop.attach(bob, grant(general))
        loop.say("a", in: general, redacted: "-", hidesBefore: 2)
        loop.hub.narrow(ann, general, visibleFrom: 8)
        loop.hub.narrow(ann, random, visibleFrom: 8)
        loop.say("b", in: general, redacted: "-", hidesBefore: 7)
        loop.say("c", in: general, redacted: "-", hidesBefore: 8)
        loop.hub.narrow(ann, general, visibleFrom: 4)
        loop.say("d", in: general, redacted: "-", hidesBefore: 7)
        #expect(one.heard == "a-c-", "and never more again")
        #expect(two.heard == "abcd")
        loop.hub.leave(one, general)
        loop.hub.leave(two, general)
        let three = loop.attach(bob, grant(general))
        loop.say("e", in: general, redacted: "-", hidesBefore: 7)
        loop.hub.flush()
        #expect(three.heard == "e")
    }

    @Test func `transient events keep their order, and can be dropped without the stored ones`() {
        let loop = PlainLoop()
        let (one, two) = (loop.attach(ann, grant(general)), loop.attach(bob, grant(general)))
        two.isSlow = true
        func whisper(_ words: String) {
            loop.hub.publish(told(words, isTransient: true), in: general)
        }
        loop.say("a", in: general)
        whisper("1")
        whisper("2")
        loop.say("b", in: general)
        whisper("3")
        loop.hub.flush()
        #expect(one.writes == ["a", "12", "b", "3"] && two.writes == ["a", "b"])
    }

    @Test func `MO1: a transient event reaches all but those from whom it is hidden, in order`() {
        let loop = PlainLoop()
        let (one, two) = (loop.attach(ann, grant(general)), loop.attach(bob, grant(general)))
        loop.say("a", in: general)
        var hidden = told("1", isTransient: true)
        hidden.hiddenFrom = [bob: 0]
        loop.hub.publish(hidden, in: general)
        loop.say("b", in: general)
        loop.hub.flush()
        #expect(one.writes == ["a", "1", "b"] && two.writes == ["a", "b"])
    }

    @Test func `a large batch is flushed early and as a whole`() {
        let loop = PlainLoop()
        let one = loop.attach(ann, grant(general))
        let word = String(repeating: "x", count: 131_072)
        loop.say(word, in: general)
        loop.say(word, in: general)
        #expect(one.writes.isEmpty, "at the limit")
        loop.say("y", in: general)
        #expect(one.writes == [word + word + "y"])
        loop.hub.flush()
        #expect(one.writes.count == 1)
    }

    @Test func `a direct write follows everything already batched in the connection's rooms`() {
        let loop = PlainLoop()
        let one = loop.attach(ann, grant(general), grant(random))
        let two = loop.attach(bob, grant("third"))
        loop.say("a", in: general)
        loop.say("b", in: random)
        loop.say("c", in: "third")
        loop.hub.write(bytes("reply"), to: one)
        #expect(one.heard == "abreply")
        #expect(two.heard == "", "another's room waits for the end of the turn")
        loop.hub.flush()
        #expect(two.heard == "c" && one.heard == "abreply")
    }

    @Test(arguments: [0, 20]) func `batches are sent in the order in which they began`(others: Int) {
        let loop = PlainLoop()
        let names = (0..<9).map { Room(name: "room-\($0)") ?? general }
        let one = PlainEar()
        loop.hub.attach(one, as: Identity(user: ann, validFor: nil), follows: true, to: names.map { grant($0) })
        for number in 0..<others {
            let name = Room(name: "other-\(number)") ?? general
            _ = loop.attach(bob, grant(name))
            loop.say("-", in: name)
        }
        for (number, name) in names.enumerated() { loop.say("\(number)", in: name) }
        // A member who joins causes the earlier batch to be sent first.
        _ = loop.attach(bob, grant(names[0]), grant(names[4]))
        #expect(one.heard == "04")
        loop.say("4", in: names[4])
        loop.say("1", in: names[1])
        loop.say("0", in: names[0])
        loop.hub.write(bytes("!"), to: one)
        #expect(one.heard == "04" + "11235678" + "40" + "!")
        loop.hub.flush()
        loop.say("x", in: names[2])
        loop.hub.flush()
        #expect(one.heard == "041123567840!x")
    }

    @Test func `a member who enters misses the current batch, and one who leaves receives it`() {
        let loop = PlainLoop()
        let one = loop.attach(ann, grant(general))
        loop.say("before", in: general)
        let two = loop.attach(bob, grant(general))
        loop.say("between", in: general)
        loop.hub.leave(one, general)
        loop.say("after", in: general)
        loop.hub.flush()
        #expect(one.heard == "beforebetween")
        #expect(two.heard == "betweenafter")
        #expect(!loop.hub.isMember(one, of: general) && loop.hub.isMember(two, of: general))
    }

    @Test func `a user's connections that follow all rooms enter a gained room, and are notified before its events`() {
        let loop = PlainLoop()
        let follower = loop.attach(ann, grant("#ann"))
        let other = loop.attach(ann, follows: false, grant("#ann"))
        loop.hub.gained(ann, grant(general, at: 4, generation: 7))
        loop.say("five", in: general)
        loop.hub.flush()
        let push = text(
            ServerEnvelope.gained(room: "general", at: RoomPosition(offset: 4, epoch: "e")).encoded(as: .json))
        #expect(follower.heard == push + "five")
        #expect(other.heard == "")
        #expect(loop.released.isEmpty)
        loop.hub.gained(ann, grant(general, at: 5, generation: 8))
        #expect(follower.heard == push + "five", "who stands in it already is not told again")
        loop.hub.leave(follower, general)
        #expect(loop.released.map(\.generation) == [8], "the latest grant is the one given back")
    }

    @Test func `a grant is returned if no connection of the user follows all rooms`() {
        let loop = PlainLoop()
        _ = loop.attach(ann, follows: false, grant("#ann"))
        loop.hub.gained(ann, grant(general, generation: 7))
        loop.hub.gained(bob, grant(random, generation: 8))
        #expect(loop.released.map(\.room) == [general, random])
        #expect(loop.released.map(\.generation) == [7, 8])
        #expect(loop.hub.roomCount == 1)
    }

    @Test func `CH9: no event of a room is sent after its loss, even in the same turn`() {
        let loop = PlainLoop()
        let (one, two) = (loop.attach(ann, grant(general)), loop.attach(bob, grant(general)))
        let explicit = loop.attach(ann, follows: false, grant("#ann"))
        loop.hub.enter(explicit, grant(general))
        loop.say("decided before", in: general)
        loop.hub.lost(ann, general)
        loop.say("member.left", in: general)
        loop.hub.flush()
        let push = text(ServerEnvelope.lost(room: "general", .server).encoded(as: .json))
        #expect(one.heard == "decided before" + push)
        #expect(explicit.heard == "decided before" + push)
        #expect(two.heard == "decided beforemember.left")
        loop.hub.lost(ann, general)
        #expect(one.heard == "decided before" + push, "told once")
        loop.hub.lost(bob, general)
        #expect(loop.released.map(\.room) == [general])
        loop.say("nobody is here", in: general)
        loop.hub.flush()
        #expect(two.heard == "decided beforemember.left" + push)
    }

    @Test func `CH2: all guests are removed from a room at once, and all other members stay`() {
        let loop = PlainLoop()
        let guest = UserID.guest(1, 2)
        let (one, two) = (loop.attach(guest, grant(general), grant(random)), loop.attach(ann, grant(general)))
        let three = loop.attach(guest, grant(general))
        loop.say("a", in: general)
        loop.hub.removeGuests(from: general)
        loop.say("b", in: general)
        loop.say("c", in: random)
        loop.hub.flush()
        let push = text(ServerEnvelope.lost(room: "general", .server).encoded(as: .json))
        #expect(one.heard == "a" + push + "c" && three.heard == "a" + push && two.heard == "ab")
        #expect(!loop.hub.isMember(one, of: general) && loop.hub.isMember(two, of: general))
        loop.hub.removeGuests(from: random)
        #expect(loop.released.map(\.room) == [random])
    }

    @Test(arguments: [(0, "whole"), (5, "whole"), (6, "ids"), (UInt64.max, "ids")] as [(UInt64, String)])
    func `CH7: a member who sees only later messages gets the redacted form`(visibleFrom: UInt64, form: String) {
        let loop = PlainLoop()
        let everything = loop.attach(ann, grant(general))
        let late = loop.attach(bob, grant(general, visibleFrom: visibleFrom))
        loop.say("a", in: general)
        loop.say("whole", in: general, redacted: "ids", hidesBefore: 5)
        loop.say("z", in: general)
        loop.hub.flush()
        #expect(everything.heard == "awholez")
        #expect(late.heard == "a" + form + "z")
        loop.hub.leave(late, general)
        let count = everything.writes.count
        loop.say("b", in: general)
        loop.say("whole", in: general, redacted: "ids", hidesBefore: 5)
        loop.hub.flush()
        #expect(everything.writes.count == count + 1, "without late comers it is a batch again")
    }

    @Test func `a member who returns to a room sees it from the new grant onwards`() {
        let loop = PlainLoop()
        let one = loop.attach(ann, grant("#ann"), grant(general))
        loop.hub.lost(ann, general)
        loop.hub.gained(ann, grant(general, at: 9, visibleFrom: 10))
        one.writes = []
        loop.say("whole", in: general, redacted: "ids", hidesBefore: 5)
        loop.hub.flush()
        #expect(one.heard == "ids")
    }

    @Test func `an unused grant is returned, or kept for the room's other members`() {
        let loop = PlainLoop()
        let one = loop.attach(ann, grant(general, generation: 1))
        loop.hub.returnGrants([grant(general, generation: 5), grant(random, generation: 6)])
        #expect(loop.released.map(\.room) == [random] && loop.released.map(\.generation) == [6])
        loop.hub.detach(one)
        #expect(loop.released.map(\.generation) == [6, 5], "the latest that this loop has seen")
    }

    @Test func `a detached listener is removed from every room`() {
        let loop = PlainLoop()
        let one = loop.attach(ann, grant("#ann", generation: 1), grant(general, generation: 2))
        let two = loop.attach(ann, grant("#ann", generation: 3), grant(general, generation: 4))
        loop.say("last", in: general)
        loop.hub.detach(one)
        #expect(one.heard == "last")
        loop.say("more", in: general)
        loop.hub.gained(ann, grant(random, generation: 5))
        loop.hub.flush()
        #expect(one.heard == "last")
        #expect(two.heard.contains("more") && loop.hub.isMember(two, of: random))
        loop.hub.detach(one)
        loop.hub.detach(two)
        #expect((loop.hub.roomCount, loop.hub.userCount) == (0, 0))
        #expect(Set(loop.released.map(\.generation)) == [3, 4, 5])
    }

    /// Members change places as others leave; each still receives exactly its own rooms.
    @Test(arguments: 1...30 as ClosedRange<UInt64>)
    func `every member receives what a naive hub would send`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let loop = PlainLoop()
        let rooms: [Room] = [general, random, "third"]
        var ears: [PlainEar] = []
        var present: [Set<Room>] = []
        var expected: [[Room: [String]]] = []
        for number in 0..<6 {
            let ear = PlainEar()
            loop.hub.attach(
                ear, as: Identity(user: UserID(stringLiteral: "u\(number)"), validFor: nil), follows: true, to: [])
            ears.append(ear)
            present.append([])
            expected.append([:])
        }
        for step in 0..<400 {
            let (index, room) = (Int.random(in: 0..<6, using: &generator), generator.pick(rooms))
            switch Int.random(in: 0..<8, using: &generator) {
            case 0:
                loop.hub.enter(ears[index], grant(room))
                present[index].insert(room)
            case 1:
                loop.hub.leave(ears[index], room)
                present[index].remove(room)
            case 2: loop.hub.flush()
            case 3: loop.hub.write(bytes("|direct|"), to: ears[index])
            default:
                loop.say("|\(room.name):\(step)|", in: room)
                for listener in 0..<6 where present[listener].contains(room) {
                    expected[listener][room, default: []].append("\(room.name):\(step)")
                }
            }
        }
        loop.hub.flush()
        for (index, ear) in ears.enumerated() {
            let words = ear.heard.split(separator: "|").map(String.init)
            for room in rooms {
                #expect(
                    words.filter { $0.hasPrefix(room.name + ":") } == expected[index][room] ?? [], "seed \(seed)")
            }
        }
        for ear in ears { loop.hub.detach(ear) }
        #expect((loop.hub.roomCount, loop.hub.userCount) == (0, 0), "seed \(seed)")
    }
}
