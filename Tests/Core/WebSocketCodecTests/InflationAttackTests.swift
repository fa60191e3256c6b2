import TestSupport
import Testing
import WebSocketCodec

/// Attacks by a peer that compresses messages.
@Suite struct InflationAttackTests {
    private static let hello: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
    private static let bomb = Result { try deflated([UInt8](repeating: 0x20, count: 100_000_000)) }

    @Test func `RSV1 is refused if no extension was negotiated`() {
        let bytes = compressed(.text, Self.hello)
        #expect(receive(bytes) == Received(violation: .reservedBits(0xC1)))
        #expect(receive(bytes, as: .client).violation == .reservedBits(0xC1))
    }

    @Test func `RSV1 is allowed only on a message's first frame, RSV2 and RSV3 never`() {
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

    @Test func `97 kB that inflate to 100 MB close the connection with 1009, in bounded memory`() throws {
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

    @Test func `the limit is exact to the byte, for text and binary, in any window`() throws {
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

    @Test func `incompressible data can be as long as uncompressed data`() throws {
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

    @Test func `each of many small bombs in one context must obey the limit`() throws {
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
            // An invalid block type; a distance before the beginning; contradictory lengths of a stored block.
            [0x07], [0xF2, 0x00, 0x11, 0x00, 0x00], [0x00, 0x05, 0x00, 0x00, 0x00, 0x41], [0x06, 0xFF, 0xFF],
        ] as [[UInt8]])
    func `invalid DEFLATE data closes the connection with 1007`(payload: [UInt8]) {
        for step in 1...12 {
            let received = receive(compressed: compressed(.binary, payload), step: step)
            #expect(received == Received(violation: .invalidCompressedData))
            #expect(received.violation?.closeCode == .invalidPayload)
        }
    }

    @Test func `a message truncated at any byte closes the connection with 1007`() throws {
        var generator = SeededGenerator(seed: 5)
        let whole = try deflated(generator.bytes(60) + [UInt8](repeating: 7, count: 500))
        #expect(receive(compressed: compressed(.binary, whole)).violation == nil)
        for count in 1..<whole.count {
            let received = receive(compressed: compressed(.binary, Array(whole.prefix(count))))
            // The remaining bytes may themselves be complete blocks, which then must yield a prefix of the message.
            if received.violation == nil { #expect(count == 1 || received.events.count == 1) }
            if let violation = received.violation { #expect(violation == .invalidCompressedData) }
        }
        let final: [UInt8] = [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
        #expect(receive(compressed: compressed(.text, final)).violation == .invalidCompressedData, "no zero byte")
    }

    @Test func `an invalid UTF-8 byte is detected before its message ends`() throws {
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
    func `noise in compressed messages breaks the same rule, however it is split`(seed: UInt64) throws {
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
