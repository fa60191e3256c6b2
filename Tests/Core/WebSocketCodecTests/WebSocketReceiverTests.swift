import TestSupport
import Testing
import WebSocketCodec

@Suite struct WebSocketReceiverTests {
    @Test func `messages and control frames are returned complete and in order`() {
        let bytes =
            masked(.text, "hello ann") + masked(.ping, "p") + masked(.binary, [0, 255]) + masked(.pong, "")
            + masked(.text, "") + FrameEncoder.close(.normal, reason: "bye", maskedBy: key)
        #expect(
            receive(bytes)
                == Received(events: [
                    text("hello ann"), .ping(Array("p".utf8)), .binary([0, 255]), .pong([]), text(""),
                    .close(.normal, reason: Array("bye".utf8)),
                ]))
    }

    @Test func `fragments form one message, with control frames allowed in between`() {
        let bytes =
            masked(.text, isFinal: false, "hel") + masked(.ping, "1") + masked(.continuation, isFinal: false, "")
            + masked(.continuation, "lo") + masked(.text, "next")
        #expect(receive(bytes).events == [.ping(Array("1".utf8)), text("hello"), text("next")])
    }

    @Test(
        arguments: [
            (masked(.continuation, "x"), .unexpectedContinuation),
            (masked(.text, isFinal: false, "x") + masked(.text, "y"), .interleavedDataFrame),
            (masked(.text, isFinal: false, "x") + masked(.binary, "y"), .interleavedDataFrame),
            (
                masked(.text, isFinal: false, "x") + masked(.continuation, "y") + masked(.continuation, "z"),
                .unexpectedContinuation
            ),
            (masked(.text, isFinal: false, "x") + [0xC0, 0x80], .reservedBits(0xC0)),
            (masked(.text, [0xFF]), .invalidUTF8), (masked(.text, [0xE2, 0x82]), .invalidUTF8),
            (masked(.text, isFinal: false, [0xE2]) + masked(.continuation, [0x28]), .invalidUTF8),
            (masked(.text, isFinal: false, [0xE2]) + masked(.continuation, []), .invalidUTF8),
            (masked(.close, [3]), .invalidClosePayload), (masked(.close, [0x03, 0xE8, 0xFF]), .invalidUTF8),
            (masked(.close, [0x03, 0xE7]), .invalidCloseCode(999)),
            (masked(.close, [0x03, 0xEC]), .invalidCloseCode(1004)),
            (masked(.close, [0x03, 0xED]), .invalidCloseCode(1005)),
            (masked(.close, [0x03, 0xEE]), .invalidCloseCode(1006)),
            (masked(.close, [0x03, 0xF7]), .invalidCloseCode(1015)),
            (masked(.close, [0x03, 0xF8]), .invalidCloseCode(1016)),
            (masked(.close, [0x0B, 0xB7]), .invalidCloseCode(2999)),
            (masked(.close, [0x13, 0x88]), .invalidCloseCode(5000)),
            (unmasked(.text, [1]), .wrongMasking),
        ] as [([UInt8], ProtocolViolation)])
    func `a violation is reported after all complete messages, and repeatedly, however the bytes are split`(
        bytes: [UInt8], violation: ProtocolViolation
    ) throws {
        // A continuation right after a message must stay a violation, so a ping comes in between.
        let all = masked(.ping, "before") + bytes
        let whole = receive(all)
        #expect(whole.events.first == .ping(Array("before".utf8)))
        #expect(whole.violation == violation)
        for cut in 0...all.count { #expect(receive(all, cutAt: [cut]) == whole) }
        #expect(receive(all, cutAt: Array(0...all.count)) == whole)

        var receiver = WebSocketReceiver(role: .server)
        receiver.feed(all)
        _ = try receiver.next()
        var received = Received()
        receiver.drain(into: &received)
        for _ in 0..<3 {
            receiver.feed(masked(.text, "late"))
            #expect(throws: violation) { try receiver.next() }
        }
        #expect(receiver.bufferedBytes == 0)
        #expect(receiver.isInsideMessage == false)
    }

    @Test func `after a close frame nothing more is received, whatever is sent`() throws {
        for close in [masked(.close, []), masked(.close, [0x03, 0xE8])] {
            let bytes = masked(.text, isFinal: false, "open") + close + masked(.text, "late") + [0xFF, 0xFF]
            #expect(receive(bytes).events.count == 1)
            #expect(receive(bytes).violation == nil)
            var receiver = WebSocketReceiver(role: .server)
            receiver.feed(bytes)
            #expect(try receiver.next() == .close(close.count > 6 ? .normal : nil, reason: []))
            receiver.feed([UInt8](repeating: 0xFF, count: 100_000))
            #expect(try receiver.next() == nil)
            #expect(receiver.bufferedBytes == 0)
            #expect(receiver.isInsideMessage == false)
        }
    }

    @Test func `an invalid byte is reported when it arrives, not when its frame ends`() throws {
        var receiver = WebSocketReceiver(role: .server)
        let frame = masked(.text, Array("κόσμε".utf8) + [0xED, 0xA0, 0x80] + Array("edited".utf8))
        // The key, ten bytes of text and the ED byte, which is still valid.
        receiver.feed(frame.prefix(6 + 10 + 1))
        #expect(try receiver.next() == nil)
        receiver.feed(frame[17..<18])
        #expect(throws: ProtocolViolation.invalidUTF8) { try receiver.next() }
    }

    @Test func `a receiver is inside a message from its first byte to its last`() throws {
        var receiver = WebSocketReceiver(role: .server)
        var isInside: [Bool] = []
        for byte in masked(.text, isFinal: false, "a") + masked(.ping, "") + masked(.continuation, "b") {
            receiver.feed([byte])
            while try receiver.next() != nil {}
            isInside.append(receiver.isInsideMessage)
        }
        #expect(isInside == [Bool](repeating: true, count: 19) + [false])
        #expect(receiver.bufferedBytes == 0)
    }

    /// Returns a conversation of random frames, with one flipped bit in half of the rounds.
    private func conversation(_ random: inout SeededGenerator) -> [UInt8] {
        let texts = ["", "hello", "schön", "日本語 and 😀", String(repeating: "long €", count: 60)]
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 1...5, using: &random) {
            let payload = Array((texts.randomElement(using: &random) ?? "").utf8)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes += masked(.ping, Array(payload.prefix(125)))
            case 1: bytes += masked(.binary, payload)
            case 2:
                let cut = Int.random(in: 0...payload.count, using: &random)
                bytes += masked(.text, isFinal: false, Array(payload[..<cut]))
                bytes += masked(.pong, [1]) + masked(.continuation, Array(payload[cut...]))
            default: bytes += masked(.text, payload)
            }
        }
        if Bool.random(using: &random), let index = bytes.indices.randomElement(using: &random) {
            bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        }
        return bytes
    }

    @Test(arguments: [11, 12, 13] as [UInt64])
    func `bytes are received identically, however they are split`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for round in 0..<400 {
            let bytes = conversation(&random)
            let whole = receive(bytes)
            let cuts = (0..<Int.random(in: 1...20, using: &random)).map { _ in
                Int.random(in: 0...bytes.count, using: &random)
            }
            guard receive(bytes, cutAt: cuts) == whole, receive(bytes, cutAt: Array(0...bytes.count)) == whole else {
                Issue.record("cuts \(cuts), round \(round), seed \(seed)")
                return
            }
        }
    }

    @Test func `bytes fed before earlier messages are pulled are not lost`() throws {
        var receiver = WebSocketReceiver(role: .server)
        for number in 0..<1_000 {
            receiver.feed(masked(.text, "message \(2 * number)"))
            receiver.feed(masked(.text, "message \(2 * number + 1)"))
            #expect(try receiver.next() == text("message \(number)"))
        }
        for number in 1_000..<2_000 { #expect(try receiver.next() == text("message \(number)")) }
        #expect(try receiver.next() == nil)
        #expect(receiver.bufferedBytes == 0)
    }
}
