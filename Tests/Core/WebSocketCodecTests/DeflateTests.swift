import TestSupport
import Testing
import WebSocketCodec

/// Both ends of a connection with a negotiated extension.
private struct Link: ~Copyable {
    let deflater: Deflater
    var receiver: WebSocketReceiver

    /// Creates the ends for messages from the server to the client.
    init?(_ parameters: DeflateParameters, limits: WebSocketLimits = WebSocketLimits()) {
        guard let deflater = parameters.serverDeflater() else { return nil }
        self.deflater = deflater
        receiver = WebSocketReceiver(role: .client, limits: limits, deflate: parameters)
    }

    mutating func send(_ opcode: Opcode, _ message: [UInt8], cutAt cuts: [Int] = []) -> Received {
        var frames: [UInt8] = []
        guard let payload = deflater.deflate(message) else { return Received() }
        var start = 0
        let ends = cuts.map { min($0, payload.count) }.sorted() + [payload.count]
        for (index, end) in ends.enumerated() {
            FrameEncoder.append(
                index == 0 ? opcode : .continuation, isFinal: index == ends.count - 1, isCompressed: index == 0,
                payload: payload[start..<end], to: &frames)
            start = end
        }
        var received = Received()
        receiver.feed(frames)
        receiver.drain(into: &received)
        return received
    }
}

@Suite struct DeflateTests {
    private static let hello: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]

    /// RFC 7692 §7.2.3.
    @Test(
        arguments: [
            hello, [0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00],
            [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00],
            [0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00],
        ] as [[UInt8]])
    func `each RFC example inflates to Hello, however it is split`(payload: [UInt8]) {
        for fragments in 1...payload.count {
            let bytes = compressed(.text, payload, fragments: fragments)
            for step in 1...bytes.count {
                #expect(receive(compressed: bytes, step: step) == Received(events: [text("Hello")]))
            }
        }
    }

    /// RFC 7692 §7.2.3.2.
    @Test func `a message can refer to the previous one only if context takeover was negotiated`() {
        let shared: [UInt8] = [0xF2, 0x00, 0x11, 0x00, 0x00]
        let bytes = compressed(.text, Self.hello) + compressed(.text, shared)
        #expect(receive(compressed: bytes) == Received(events: [text("Hello"), text("Hello")]))
        let alone = receive(compressed: bytes, as: DeflateParameters(clientNoContextTakeover: true))
        #expect(alone == Received(events: [text("Hello")], violation: .invalidCompressedData))
    }

    @Test func `the window continues after a block marked as the last`() {
        let final: [UInt8] = [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00]
        let bytes = compressed(.text, final) + compressed(.text, [0xF2, 0x00, 0x11, 0x00, 0x00])
        #expect(receive(compressed: bytes) == Received(events: [text("Hello"), text("Hello")]))
    }

    @Test func `an empty message is compressed to one zero byte, and an empty payload is accepted too`() throws {
        #expect(try deflated([]) == [0])
        for payload in [[0], []] as [[UInt8]] {
            for fragments in 1...3 {
                let bytes = compressed(.binary, payload, fragments: fragments) + compressed(.text, Self.hello)
                #expect(receive(compressed: bytes) == Received(events: [.binary([]), text("Hello")]))
            }
        }
    }

    @Test func `plain messages, compressed messages and control frames can be mixed`() {
        let fragments = compressed(.text, Self.hello, fragments: 3)
        let bytes =
            masked(.text, "plain") + fragments.prefix(8) + masked(.ping, "?") + fragments.dropFirst(8)
            + masked(.binary, "too") + compressed(.text, [0xF2, 0x00, 0x11, 0x00, 0x00])
        let expected: [WebSocketEvent] = [
            text("plain"), .ping(Array("?".utf8)), text("Hello"), .binary(Array("too".utf8)), text("Hello"),
        ]
        for step in 1...bytes.count {
            #expect(receive(compressed: bytes, step: step) == Received(events: expected))
        }
    }

    @Test(arguments: 1...16 as ClosedRange<UInt64>)
    func `random messages round-trip with every window and negotiation`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for windowBits in 9...15 {
            let parameters = DeflateParameters(
                serverNoContextTakeover: seed & 1 == 0, serverMaxWindowBits: windowBits == 15 ? nil : windowBits)
            guard var link = Link(parameters) else {
                Issue.record("the parameters were refused")
                return
            }
            let words = (0..<20).map { _ in generator.bytes(Int.random(in: 1..<40, using: &generator)) }
            for _ in 0..<12 {
                var message: [UInt8] = []
                for _ in 0..<Int.random(in: 0..<60, using: &generator) {
                    message += words[Int.random(in: 0..<words.count, using: &generator)]
                }
                if Int.random(in: 0..<4, using: &generator) == 0 {
                    message += generator.bytes(Int.random(in: 0..<9_000, using: &generator))
                }
                let cuts = (0..<Int.random(in: 0..<4, using: &generator)).map { _ in
                    Int.random(in: 0...max(1, message.count), using: &generator)
                }
                #expect(
                    link.send(.binary, message, cutAt: cuts) == Received(events: [.binary(message)]), "seed \(seed)")
            }
        }
    }

    @Test func `the inflater keeps only the negotiated window of earlier messages`() throws {
        var generator = SeededGenerator(seed: 3)
        let block = generator.bytes(400)
        let far = block + generator.bytes(20_000) + block
        let bytes = compressed(.binary, try deflated(far, windowBits: 15))
        #expect(receive(compressed: bytes) == Received(events: [.binary(far)]))
        #expect(
            receive(compressed: bytes, as: DeflateParameters(clientMaxWindowBits: 9)).violation
                == .invalidCompressedData)
        let alone = DeflateParameters(clientNoContextTakeover: true, clientMaxWindowBits: 9)
        for step in [1, 7, 30_000] {
            #expect(
                receive(compressed: bytes, as: alone, step: step) == Received(events: [.binary(far)]),
                "what is freed with the message may reach as far back as it likes")
        }
        let near = compressed(.binary, try deflated(far, windowBits: 9))
        for bits in [8, 9] {
            #expect(
                receive(compressed: near, as: DeflateParameters(clientMaxWindowBits: bits))
                    == Received(events: [.binary(far)]), "zlib's compressors use 9 bits where 8 are agreed on")
        }
    }

    @Test func `out-of-range parameters create no compressor`() {
        for bits in [-1, 0, 7, 8, 16, .max] { #expect(Deflater(windowBits: bits, keepsContext: true) == nil) }
        #expect(Deflater(windowBits: 15, level: 0, keepsContext: true) == nil)
        #expect(Deflater(windowBits: 15, level: 10, keepsContext: true) == nil)
        #expect(Deflater(windowBits: 15, memoryLevel: 10, keepsContext: true) == nil)
    }
}
