import TestSupport
import Testing
import WebSocketCodec

/// What both ends of a connection make of an agreement.
private struct Link {
    let deflater: Deflater
    var receiver: WebSocketReceiver

    /// From the server to the client.
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

private func deflated(
    _ message: [UInt8], windowBits: Int = 15, level: Int = 9, sourceLocation: SourceLocation = #_sourceLocation
) throws -> [UInt8] {
    let deflater = try #require(
        Deflater(windowBits: windowBits, level: level, keepsContext: false), sourceLocation: sourceLocation)
    return try #require(deflater.deflate(message), sourceLocation: sourceLocation)
}

/// A compressed message as a client sends it, in so many frames.
private func compressed(_ opcode: Opcode, _ payload: [UInt8], fragments: Int = 1) -> [UInt8] {
    var frames: [UInt8] = []
    for index in 0..<fragments {
        let (start, end) = (payload.count * index / fragments, payload.count * (index + 1) / fragments)
        FrameEncoder.append(
            index == 0 ? opcode : .continuation, isFinal: index == fragments - 1, isCompressed: index == 0,
            payload: payload[start..<end], maskedBy: key, to: &frames)
    }
    return frames
}

private func receive(
    compressed bytes: [UInt8], limits: WebSocketLimits = WebSocketLimits(),
    as parameters: DeflateParameters = DeflateParameters(), step: Int? = nil
) -> Received {
    var receiver = WebSocketReceiver(role: .server, limits: limits, deflate: parameters)
    var received = Received()
    var rest = bytes[...]
    repeat {
        receiver.feed(rest.prefix(step ?? bytes.count))
        rest = rest.dropFirst(step ?? bytes.count)
        receiver.drain(into: &received)
    } while !rest.isEmpty
    return received
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
    func `each example of the RFC says Hello, however it is cut`(payload: [UInt8]) {
        for fragments in 1...payload.count {
            let bytes = compressed(.text, payload, fragments: fragments)
            for step in 1...bytes.count {
                #expect(receive(compressed: bytes, step: step) == Received(events: [text("Hello")]))
            }
        }
    }

    /// RFC 7692 §7.2.3.2.
    @Test func `a message may point into the one before it only where that was agreed on`() {
        let shared: [UInt8] = [0xF2, 0x00, 0x11, 0x00, 0x00]
        let bytes = compressed(.text, Self.hello) + compressed(.text, shared)
        #expect(receive(compressed: bytes) == Received(events: [text("Hello"), text("Hello")]))
        let alone = receive(compressed: bytes, as: DeflateParameters(clientNoContextTakeover: true))
        #expect(alone == Received(events: [text("Hello")], violation: .invalidCompressedData))
    }

    @Test func `the window goes on behind a block that is marked as the last`() {
        let final: [UInt8] = [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00]
        let bytes = compressed(.text, final) + compressed(.text, [0xF2, 0x00, 0x11, 0x00, 0x00])
        #expect(receive(compressed: bytes) == Received(events: [text("Hello"), text("Hello")]))
    }

    @Test func `an empty message is one zero byte, or nothing at all`() throws {
        #expect(try deflated([]) == [0])
        for payload in [[0], []] as [[UInt8]] {
            for fragments in 1...3 {
                let bytes = compressed(.binary, payload, fragments: fragments) + compressed(.text, Self.hello)
                #expect(receive(compressed: bytes) == Received(events: [.binary([]), text("Hello")]))
            }
        }
    }

    @Test func `plain and compressed messages and control frames may follow each other`() {
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

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `random messages survive in every window and with every agreement`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for windowBits in 9...15 {
            let parameters = DeflateParameters(
                serverNoContextTakeover: seed & 1 == 0, serverMaxWindowBits: windowBits == 15 ? nil : windowBits)
            var link = try #require(Link(parameters))
            let words = (0..<20).map { _ in generator.bytes(Int.random(in: 1..<40, using: &generator)) }
            for _ in 0..<12 {
                var message: [UInt8] = []
                for _ in 0..<Int.random(in: 0..<60, using: &generator) {
                    message += words[Int.random(in: 0..<words.count, using: &generator)]
                }
                if Int.random(in: 0..<4, using: &generator) == 0 {
                    message += generator.bytes(Int.random(in: 0..<40_000, using: &generator))
                }
                let cuts = (0..<Int.random(in: 0..<4, using: &generator)).map { _ in
                    Int.random(in: 0...max(1, message.count), using: &generator)
                }
                #expect(
                    link.send(.binary, message, cutAt: cuts) == Received(events: [.binary(message)]), "seed \(seed)")
            }
        }
    }

    @Test func `no more of the messages before is kept than the window that was agreed on`() throws {
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

    @Test func `a copy of a receiver inflates by itself`() {
        var one = WebSocketReceiver(role: .server, deflate: DeflateParameters())
        let bytes = compressed(.text, Self.hello) + compressed(.text, [0xF2, 0x00, 0x11, 0x00, 0x00])
        var (first, second) = (Received(), Received())
        one.feed(bytes.prefix(16))
        one.drain(into: &first)
        var two = one
        second = first
        one.feed(bytes.dropFirst(16))
        one.drain(into: &first)
        two.feed(bytes.dropFirst(16))
        two.drain(into: &second)
        #expect(first == Received(events: [text("Hello"), text("Hello")]))
        #expect(second == first)
    }

    @Test func `numbers out of range make no compressor`() {
        for bits in [-1, 0, 7, 8, 16, .max] { #expect(Deflater(windowBits: bits, keepsContext: true) == nil) }
        #expect(Deflater(windowBits: 15, level: 0, keepsContext: true) == nil)
        #expect(Deflater(windowBits: 15, level: 10, keepsContext: true) == nil)
        #expect(Deflater(windowBits: 15, memoryLevel: 10, keepsContext: true) == nil)
    }
}

/// What a peer may not do.
@Suite struct InflationAttackTests {
    private static let hello: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
    private static let bomb = Result { try deflated([UInt8](repeating: 0x20, count: 100_000_000)) }

    @Test func `RSV1 is refused where nothing was agreed on`() {
        let bytes = compressed(.text, Self.hello)
        #expect(receive(bytes) == Received(violation: .reservedBits(0xC1)))
        #expect(receive(bytes, as: .client).violation == .reservedBits(0xC1))
    }

    @Test func `RSV1 stands on the first frame of a message only, and RSV2 and RSV3 nowhere`() {
        for (byte, first) in [(0xC9, 0x89), (0xC8, 0x88), (0xCA, 0x8A)] as [(UInt8, UInt8)] {
            var frame = masked(.ping)
            #expect(frame.first != byte && first & 0x40 == 0)
            frame[0] = byte
            #expect(receive(compressed: frame).violation == .reservedBits(byte))
        }
        for isFirstCompressed in [true, false] {
            var bytes: [UInt8] = []
            FrameEncoder.append(
                .text, isFinal: false, isCompressed: isFirstCompressed, payload: Self.hello, maskedBy: key, to: &bytes)
            FrameEncoder.append(.continuation, isCompressed: true, payload: [], maskedBy: key, to: &bytes)
            if isFirstCompressed { #expect(receive(compressed: bytes).violation == .reservedBits(0xC0)) }
            var alone: [UInt8] = []
            FrameEncoder.append(.continuation, isCompressed: true, payload: [], maskedBy: key, to: &alone)
            #expect(receive(compressed: masked(.text, isFinal: false, "a") + alone).violation == .reservedBits(0xC0))
        }
        for byte in [0xE1, 0xD1, 0xF1, 0xA1, 0x91] as [UInt8] {
            #expect(receive(compressed: [byte, 0x80, 0, 0, 0, 0]).violation == .reservedBits(byte))
        }
    }

    @Test func `97 kB that inflate to 100 MB end with 1009 and bounded memory`() throws {
        let bomb = try Self.bomb.get()
        #expect(bomb.count < 100_000)
        for fragments in [1, 2, 50] {
            let limits = WebSocketLimits(messageBytes: 1_000_000, frameBytes: 1_000_000)
            var receiver = WebSocketReceiver(role: .server, limits: limits, deflate: DeflateParameters())
            var received = Received()
            var largest = 0
            var rest = compressed(.text, bomb, fragments: fragments)[...]
            while !rest.isEmpty, received.violation == nil {
                receiver.feed(rest.prefix(100))
                rest = rest.dropFirst(100)
                receiver.drain(into: &received)
                largest = max(largest, receiver.bufferedBytes)
            }
            #expect(received == Received(violation: .inflatedMessageTooBig(limit: 1_000_000)))
            #expect(received.violation?.closeCode == .messageTooBig)
            #expect(largest <= 1_000_000 + 1_000)
            #expect(rest.count > 95_000, "a small part of it is enough to know")
        }
    }

    @Test func `the limit holds to the byte, for text and binary, in any window`() throws {
        for windowBits in [9, 12, 15] {
            for size in [1_000, 16_384, 20_000, 65_536] {
                let limits = WebSocketLimits(messageBytes: size, frameBytes: size)
                let message = [UInt8](repeating: 0x61, count: size)
                let whole = compressed(.text, try deflated(message, windowBits: windowBits))
                #expect(receive(compressed: whole, limits: limits) == Received(events: [.text(message)]))
                let longer = compressed(.binary, try deflated(message + [0x61], windowBits: windowBits))
                #expect(receive(compressed: longer, limits: limits).violation == .inflatedMessageTooBig(limit: size))
            }
        }
    }

    @Test func `what does not shrink may be as long as without compression`() throws {
        var generator = SeededGenerator(seed: 8)
        let limits = WebSocketLimits(messageBytes: 10_000, frameBytes: 10_000)
        let noise = generator.bytes(10_000)
        for level in [1, 9] {
            let payload = try deflated(noise, level: level)
            #expect(payload.count > 10_000)
            #expect(receive(compressed: compressed(.binary, payload), limits: limits).events == [.binary(noise)])
            let parts = compressed(.binary, payload, fragments: 7)
            #expect(receive(compressed: parts, limits: limits).events == [.binary(noise)])
        }
        let padded = Array(repeatElement([0x00, 0x00, 0x00, 0xFF, 0xFF] as [UInt8], count: 2_400).joined())
        #expect(
            receive(compressed: compressed(.binary, padded), limits: limits).violation
                == .frameTooBig(bytes: 12_000, limit: 11_314))
        #expect(
            receive(compressed: compressed(.binary, padded, fragments: 3), limits: limits).violation
                == .messageTooBig(limit: 10_000))
    }

    @Test func `many small bombs in one context are each held to the limit`() throws {
        let deflater = try #require(Deflater(windowBits: 15, level: 9, keepsContext: true))
        let limits = WebSocketLimits(messageBytes: 60_000, frameBytes: 60_000)
        var receiver = WebSocketReceiver(role: .server, limits: limits, deflate: DeflateParameters())
        let message = [UInt8](repeating: 0x20, count: 60_000)
        for _ in 0..<200 {
            let payload = try #require(deflater.deflate(message))
            #expect(payload.count < 100)
            receiver.feed(compressed(.text, payload))
            var received = Received()
            receiver.drain(into: &received)
            #expect(received == Received(events: [.text(message)]))
            #expect(receiver.bufferedBytes == 0)
        }
        let payload = try #require(deflater.deflate(message + [0x20]))
        receiver.feed(compressed(.text, payload))
        var received = Received()
        receiver.drain(into: &received)
        #expect(received.violation == .inflatedMessageTooBig(limit: 60_000))
    }

    @Test(
        arguments: [
            // No such type of block; a distance before the beginning; lengths of a stored block that do not agree.
            [0x07], [0xF2, 0x00, 0x11, 0x00, 0x00], [0x00, 0x05, 0x00, 0x00, 0x00, 0x41], [0x06, 0xFF, 0xFF],
        ] as [[UInt8]])
    func `what is no DEFLATE data ends with 1007`(payload: [UInt8]) {
        for step in 1...12 {
            let received = receive(compressed: compressed(.binary, payload), step: step)
            #expect(received == Received(violation: .invalidCompressedData))
            #expect(received.violation?.closeCode == .invalidPayload)
        }
    }

    @Test func `a message that is cut off ends with 1007, wherever it is cut`() throws {
        var generator = SeededGenerator(seed: 5)
        let whole = try deflated(generator.bytes(60) + [UInt8](repeating: 7, count: 500))
        #expect(receive(compressed: compressed(.binary, whole)).violation == nil)
        for count in 1..<whole.count {
            let received = receive(compressed: compressed(.binary, Array(whole.prefix(count))))
            // What is left may itself be whole blocks; then it must be a piece of the message.
            if received.violation == nil { #expect(count == 1 || received.events.count == 1) }
            if let violation = received.violation { #expect(violation == .invalidCompressedData) }
        }
        let final: [UInt8] = [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
        #expect(receive(compressed: compressed(.text, final)).violation == .invalidCompressedData, "no zero byte")
    }

    @Test func `a byte that is no UTF-8 is found before its message ends`() throws {
        let message = Array("abc".utf8) + [0xFF] + [UInt8](repeating: 0x61, count: 60_000)
        let bytes = compressed(.text, try deflated(message))
        var receiver = WebSocketReceiver(role: .server, deflate: DeflateParameters())
        var received = Received()
        receiver.feed(bytes.dropLast(20))
        receiver.drain(into: &received)
        #expect(received == Received(violation: .invalidUTF8))
        let cut = compressed(.text, try deflated([0xE2, 0x82]))
        #expect(receive(compressed: cut).violation == .invalidUTF8, "a scalar that has no end")
        let euros = Array(String(repeating: "€", count: 20_000).utf8)
        for fragments in [1, 5, 20] {
            let whole = compressed(.text, try deflated(euros), fragments: fragments)
            #expect(receive(compressed: whole, step: 7) == Received(events: [.text(euros)]))
        }
    }

    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func `noise inside compressed messages breaks the same rule however it is cut`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var payload = try deflated(Array(String(repeating: "hello, hello ", count: 60).utf8))
        for _ in 0..<Int.random(in: 0..<3, using: &generator) {
            payload[Int.random(in: 0..<payload.count, using: &generator)] = generator.bytes(1)[0]
        }
        let bytes =
            compressed(.text, payload, fragments: Int.random(in: 1...4, using: &generator))
            + compressed(.text, Self.hello)
        let limits = WebSocketLimits(messageBytes: 700, frameBytes: 700)
        let whole = receive(compressed: bytes, limits: limits)
        for step in [1, 2, 3, 7, 30] {
            #expect(receive(compressed: bytes, limits: limits, step: step) == whole, "seed \(seed)")
        }
    }
}
