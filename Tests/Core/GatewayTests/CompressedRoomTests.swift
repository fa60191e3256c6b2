import ChatModel
import Gateway
import TestSupport
import Testing
import WireProtocol

/// A listener that keeps everything written to it and may have negotiated compression.
private final class Ear: Listener {
    let acceptsCompression: Bool
    var writes: [String] = []
    var hubState = ListenerState()

    init(acceptsCompression: Bool) { self.acceptsCompression = acceptsCompression }

    func write(_ frames: [UInt8]) { writes.append(text(frames)) }
    func writeTransient(_ frames: [UInt8]) { write(frames) }
    func disconnect(_ code: DisconnectCode) {}
    var heard: String { writes.joined() }
}

/// A hub whose compressed form of `words` is `(words)`, unless they are short.
private final class Loop {
    private(set) var compressed: [String] = []
    private(set) lazy var hub = LoopHub(
        appendFrame: { envelope, _, frames in frames += envelope },
        compress: { [unowned self] frames, _ in
            compressed.append(text(frames))
            return frames.count < 3 ? nil : bytes("(" + text(frames) + ")")
        }, release: { _, _ in })

    func say(_ words: String, redacted: String? = nil, isTransient: Bool = false, in room: Room = general) {
        hub.publish(told(words, redacted: redacted, hidesBefore: 5, isTransient: isTransient), in: room)
    }

    func enter(_ user: UserID, compressed: Bool, visibleFrom: UInt64 = 0, _ rooms: Room...) -> Ear {
        let ear = Ear(acceptsCompression: compressed)
        let rooms = rooms.isEmpty ? [general] : rooms
        hub.attach(
            ear, as: Identity(user: user, validFor: nil), follows: true,
            to: rooms.map { grant($0, visibleFrom: visibleFrom) })
        return ear
    }
}

@Suite struct CompressedRoomTests {
    @Test func `a batch is compressed once for all members that negotiated it, and sent plain to the others`() {
        let loop = Loop()
        let plain = [loop.enter(ann, compressed: false), loop.enter(bob, compressed: false)]
        let compressed = (0..<5).map { loop.enter(UserID(stringLiteral: "u\($0)"), compressed: true) }
        loop.say("one ")
        loop.say("two")
        loop.hub.flush()
        loop.say("three")
        loop.hub.flush()
        #expect(loop.compressed == ["one two", "three"])
        for ear in plain { #expect(ear.writes == ["one two", "three"]) }
        for ear in compressed { #expect(ear.writes == ["(one two)", "(three)"]) }
    }

    @Test func `compression stops when the last member that negotiated it leaves`() {
        let loop = Loop()
        let plain = loop.enter(ann, compressed: false)
        loop.say("before")
        loop.hub.flush()
        #expect(loop.compressed.isEmpty)
        let one = loop.enter(bob, compressed: true, general, random)
        loop.say("during")
        loop.hub.leave(one, general)
        loop.say("after")
        loop.hub.flush()
        #expect(loop.compressed == ["during"])
        #expect(one.writes == ["(during)"] && plain.writes == ["before", "during", "after"])
        loop.say("random", in: random)
        loop.hub.detach(one)
        #expect(one.writes == ["(during)", "(random)"])
        loop.say("again")
        loop.hub.flush()
        #expect(loop.compressed == ["during", "random"])
    }

    @Test func `data that does not shrink is sent uncompressed`() {
        let loop = Loop()
        let one = loop.enter(ann, compressed: true)
        loop.say("a")
        loop.hub.flush()
        #expect(one.writes == ["a"] && loop.compressed == ["a"])
    }

    @Test func `batches and direct writes keep their order, compressed or not`() {
        let loop = Loop()
        let (plain, compressed) = (loop.enter(ann, compressed: false), loop.enter(bob, compressed: true))
        loop.say("one")
        loop.hub.write(bytes("reply"), to: compressed)
        loop.say("two")
        loop.hub.write(bytes("reply"), to: plain)
        loop.say("three")
        loop.hub.lost(bob, general)
        loop.say("four")
        loop.hub.flush()
        let push = text(ServerEnvelope.lost(room: "general", .server).encoded(as: .json))
        #expect(compressed.writes == ["(one)", "reply", "(two)", "(three)", push])
        #expect(plain.writes == ["one", "two", "reply", "three", "four"])
    }

    @Test func `transient events are compressed like others`() {
        let loop = Loop()
        let one = loop.enter(ann, compressed: true)
        loop.say("message")
        loop.say("typing", isTransient: true)
        loop.hub.flush()
        #expect(one.writes == ["(message)", "(typing)"])
    }

    @Test func `CH7: each form of an event is compressed once, if any member accepts it compressed`() {
        let loop = Loop()
        let everything = [loop.enter(ann, compressed: true), loop.enter(bob, compressed: true)]
        let plain = loop.enter("eve", compressed: false)
        let late = loop.enter("late", compressed: false, visibleFrom: 9)
        loop.say("whole", redacted: "ids")
        #expect(loop.compressed == ["whole"])
        let laterStill = loop.enter("later", compressed: true, visibleFrom: 9)
        loop.say("whole", redacted: "ids")
        #expect(loop.compressed == ["whole", "whole", "ids"])
        for ear in everything { #expect(ear.writes == ["(whole)", "(whole)"]) }
        #expect(plain.writes == ["whole", "whole"] && late.writes == ["ids", "ids"] && laterStill.writes == ["(ids)"])
    }

    /// Members join, leave and change places; each receives its rooms in order and in its own form.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `every member receives what a naive hub would send`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let loop = Loop()
        let ears = (0..<6).map { number in
            let ear = Ear(acceptsCompression: number % 2 == 0)
            loop.hub.attach(
                ear, as: Identity(user: UserID(stringLiteral: "u\(number)"), validFor: nil), follows: true, to: [])
            return ear
        }
        var expected = [String](repeating: "", count: ears.count)
        for step in 0..<300 {
            let index = Int.random(in: 0..<ears.count, using: &generator)
            switch Int.random(in: 0..<8, using: &generator) {
            case 0: loop.hub.enter(ears[index], grant(general))
            case 1: loop.hub.leave(ears[index], general)
            case 2: loop.hub.flush()
            case 3:
                loop.hub.write(bytes("|direct"), to: ears[index])
                expected[index] += "|direct"
            default:
                loop.say("|\(step)")
                for listener in ears.indices where loop.hub.isMember(ears[listener], of: general) {
                    expected[listener] += "|\(step)"
                }
            }
        }
        loop.hub.flush()
        for (index, ear) in ears.enumerated() {
            #expect(ear.heard.filter { $0 != "(" && $0 != ")" } == expected[index], "seed \(seed)")
            #expect(ear.acceptsCompression || !ear.heard.contains("("), "seed \(seed)")
        }
    }
}
