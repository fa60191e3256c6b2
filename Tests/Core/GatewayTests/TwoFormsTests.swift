import ChatModel
import Gateway
import TestSupport
import Testing
import WireProtocol

/// A listener that receives one of the forms.
private final class Ear: Listener {
    let form: WireForm
    let acceptsCompression: Bool
    var writes: [String] = []
    var hubState = ListenerState()

    init(_ form: WireForm, acceptsCompression: Bool) {
        self.form = form
        self.acceptsCompression = acceptsCompression
    }

    func write(_ frames: [UInt8]) { writes.append(text(frames)) }
    func writeTransient(_ frames: [UInt8]) { write(frames) }
    func disconnect(_ code: DisconnectCode) {}
    var heard: String { writes.joined() }
}

/// A hub that encodes publications as `<data>` in the Protobuf form and counts the encodings.
private final class Loop {
    private(set) var made = 0
    private(set) var compressed: [String] = []
    private(set) lazy var hub = LoopHub(
        appendFrame: { [unowned self] envelope, form, frames in
            guard form == .protobuf else { return frames += envelope }
            made += 1
            frames += bytes("<" + text(envelope.filter { (0x20..<0x7F).contains($0) }) + ">")
        },
        compress: { [unowned self] frames, form in
            compressed.append("\(form)")
            return bytes("(") + frames + bytes(")")
        }, release: { _, _ in })

    func say(_ words: String, redacted: String? = nil, isTransient: Bool = false, in room: Room = general) {
        hub.publish(told(words, redacted: redacted, hidesBefore: 5, isTransient: isTransient), in: room)
    }

    func enter(
        _ user: UserID, _ form: WireForm, compressed: Bool = false, visibleFrom: UInt64 = 0, _ rooms: Room...
    ) -> Ear {
        let ear = Ear(form, acceptsCompression: compressed)
        let rooms = rooms.isEmpty ? [general] : rooms
        hub.attach(
            ear, as: Identity(user: user, validFor: nil), follows: true,
            to: rooms.map { grant($0, visibleFrom: visibleFrom) })
        return ear
    }
}

@Suite struct TwoFormsTests {
    /// Returns whether a frame contains the room's name and the data, which are between unprintable tags and lengths.
    private func isTold(_ words: String, _ frame: String) -> Bool {
        frame.hasPrefix("<") && frame.contains("general") && frame.contains(words)
    }

    @Test func `each member gets events in their own form, and the rarer form is encoded only once`() {
        let loop = Loop()
        let json = [loop.enter(ann, .json), loop.enter(bob, .json)]
        let protobuf = (0..<5).map { loop.enter(UserID(stringLiteral: "u\($0)"), .protobuf) }
        loop.say("hello")
        loop.hub.flush()
        #expect(loop.made == 1)
        for ear in json { #expect(ear.writes == ["hello"]) }
        for ear in protobuf { #expect(ear.writes.count == 1 && isTold("hello", ear.heard), "\(ear.writes)") }
        #expect(loop.hub.deliveryCount == 7)
        #expect(loop.hub.figures(after: nil, limit: 9).map(\.subscribers) == [7])
    }

    @Test func `no form is encoded once its last recipient has left`() {
        let loop = Loop()
        let json = loop.enter(ann, .json)
        loop.say("before")
        loop.hub.flush()
        #expect(loop.made == 0)
        let protobuf = loop.enter(bob, .protobuf, general, random)
        loop.say("during")
        loop.hub.leave(protobuf, general)
        loop.say("after")
        loop.hub.flush()
        #expect(loop.made == 1 && protobuf.writes.count == 1 && isTold("during", protobuf.heard))
        #expect(json.writes == ["before", "during", "after"])
        loop.hub.detach(json)
        loop.say("nobody is here", in: general)
        #expect(loop.made == 1 && loop.hub.roomCount == 1)
    }

    @Test func `a batch is compressed once for each form that any member accepts compressed`() {
        let loop = Loop()
        let ears = WireForm.allCases.flatMap { form in
            (0..<2).map { loop.enter(UserID(stringLiteral: "\(form)\($0)"), form, compressed: true) }
        }
        let plain = loop.enter(ann, .protobuf)
        loop.say("one")
        loop.say("two")
        loop.hub.flush()
        #expect(loop.compressed == ["json", "protobuf"] && loop.made == 2)
        #expect(ears[0].writes == ["(onetwo)"] && ears[1].writes == ears[0].writes)
        #expect(ears[2].writes == ["(" + plain.heard + ")"] && ears[3].writes == ears[2].writes)
        #expect(isTold("one", plain.heard) && isTold("two", plain.heard))
    }

    @Test func `CH7: a member who sees only part of an event gets that part in their own form`() {
        let loop = Loop()
        let (all, late) = (loop.enter(ann, .protobuf), loop.enter(bob, .protobuf, visibleFrom: 9))
        let (plain, latePlain) = (loop.enter("eve", .json), loop.enter("late", .json, visibleFrom: 9))
        loop.say("whole", redacted: "ids")
        #expect(isTold("whole", all.heard) && isTold("ids", late.heard) && !late.heard.contains("whole"))
        #expect(plain.writes == ["whole"] && latePlain.writes == ["ids"])
        #expect(loop.made == 2)
    }

    @Test func `CH7: a single member of the other form who sees less requires both variants of an event`() {
        let loop = Loop()
        let (json, protobuf) = (loop.enter(ann, .json), loop.enter(bob, .protobuf))
        loop.hub.narrow(bob, general, visibleFrom: 9)
        loop.say("whole", redacted: "ids")
        #expect(json.writes == ["whole"] && isTold("ids", protobuf.heard) && !protobuf.heard.contains("whole"))
    }

    @Test func `gaining and losing a room is reported in each connection's form`() {
        let loop = Loop()
        let ears = WireForm.allCases.map { loop.enter(ann, $0, random) }
        loop.hub.gained(ann, grant(general, at: 4))
        loop.hub.lost(ann, general)
        #expect(
            ears[0].writes.first
                == text(ServerEnvelope.gained(room: "general", at: grant(general, at: 4).position).encoded(as: .json)))
        #expect(ears[0].writes.last == text(ServerEnvelope.lost(room: "general", .server).encoded(as: .json)))
        #expect(ears[1].writes.count == 2 && isTold("general", ears[1].writes[0]))
        #expect(isTold("server unsubscribe", ears[1].writes[1]))
    }

    @Test func `CH14: all members lose a closed room, after everything sent in it`() {
        let loop = Loop()
        let json = [loop.enter(ann, .json), loop.enter(bob, .json, general, random)]
        let protobuf = loop.enter(ann, .protobuf)
        let other = loop.enter(ann, .json, random)
        loop.say("deleted")
        loop.hub.close(general)
        loop.say("nobody is here")
        loop.hub.close(general)
        loop.hub.flush()
        let push = text(ServerEnvelope.lost(room: "general", .server).encoded(as: .json))
        #expect(json.map(\.heard) == ["deleted" + push, "deleted" + push])
        #expect(protobuf.writes.count == 2 && isTold("deleted", protobuf.writes[0]))
        #expect(isTold("server unsubscribe", protobuf.writes[1]))
        #expect(other.heard.isEmpty && loop.hub.roomCount == 1)
    }

    @Test func `transient events keep their order in both forms`() {
        let loop = Loop()
        let ears = WireForm.allCases.map { loop.enter(UserID(stringLiteral: "\($0)"), $0) }
        loop.say("message")
        loop.say("typing", isTransient: true)
        loop.say("answer")
        loop.hub.flush()
        #expect(ears[0].writes == ["message", "typing", "answer"])
        #expect(zip(["message", "typing", "answer"], ears[1].writes).allSatisfy(isTold) && ears[1].writes.count == 3)
    }

    /// Members of both forms join, leave and change places; each receives its rooms in order and in its own form.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `every member receives what a naive hub would send`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let loop = Loop()
        let ears = (0..<6).map { number in
            let ear = Ear(number % 3 == 0 ? .json : .protobuf, acceptsCompression: number % 2 == 0)
            let user = UserID(stringLiteral: "u\(number)")
            loop.hub.attach(ear, as: Identity(user: user, validFor: nil), follows: true, to: [])
            return ear
        }
        var expected = [[String]](repeating: [], count: ears.count)
        for step in 0..<300 {
            let index = Int.random(in: 0..<ears.count, using: &generator)
            switch Int.random(in: 0..<8, using: &generator) {
            case 0: loop.hub.enter(ears[index], grant(general, visibleFrom: generator.chance(2) ? 9 : 0))
            case 1: loop.hub.leave(ears[index], general)
            case 2: loop.hub.flush()
            case 3:
                loop.hub.write(bytes("|d\(step)|"), to: ears[index])
                expected[index].append("d\(step)")
            default:
                loop.say(
                    "|\(step)|", redacted: generator.chance(3) ? "|\(step)|" : nil, isTransient: generator.chance(4))
                for listener in ears.indices where loop.hub.isMember(ears[listener], of: general) {
                    expected[listener].append("\(step)")
                }
            }
        }
        loop.hub.flush()
        for (index, ear) in ears.enumerated() {
            // The text between the bars, whatever the format of the frames.
            let pieces = ear.heard.split(separator: "|", omittingEmptySubsequences: false)
            let heard = pieces.enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
            #expect(heard == expected[index], "seed \(seed)")
        }
    }
}
