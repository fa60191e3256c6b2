import TestSupport
import Testing
import WebSocketCodec

@Suite struct FrameEncoderTests {
    @Test(
        arguments: [
            (0, [0x82, 0]), (125, [0x82, 125]), (126, [0x82, 126, 0, 126]), (65_535, [0x82, 126, 0xFF, 0xFF]),
            (65_536, [0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0]),
        ] as [(Int, [UInt8])])
    func `a length uses its shortest form`(length: Int, header: [UInt8]) {
        let payload = [UInt8](repeating: 0x2A, count: length)
        #expect(unmasked(.binary, payload) == header + payload)
    }

    @Test func `the RFC examples are encoded byte for byte`() {
        let hello: [UInt8] = Array("Hello".utf8)
        #expect(unmasked(.text, hello) == [0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F])
        #expect(masked(.text, hello) == [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58])
        #expect(unmasked(.text, isFinal: false, Array("Hel".utf8)) == [0x01, 0x03, 0x48, 0x65, 0x6C])
        #expect(unmasked(.continuation, Array("lo".utf8)) == [0x80, 0x02, 0x6C, 0x6F])
    }

    @Test func `arrays, strings, slices and lazy collections produce the same frame`() {
        var frames: [[UInt8]] = [[], [], [], []]
        for index in frames.indices { frames[index] = [0xFF] }
        FrameEncoder.append(.text, payload: Array("hi".utf8), maskedBy: key, to: &frames[0])
        FrameEncoder.append(.text, payload: "hi".utf8, maskedBy: key, to: &frames[1])
        FrameEncoder.append(.text, payload: Array("ahi".utf8).dropFirst(), maskedBy: key, to: &frames[2])
        FrameEncoder.append(.text, payload: "hi".utf8.lazy.map { $0 }, maskedBy: key, to: &frames[3])
        #expect(frames.allSatisfy { $0 == [0xFF] + masked(.text, "hi") })
    }

    /// Regression: each frame copied the whole batch into a buffer that was just large enough.
    @Test func `a batch of frames rarely moves to a larger buffer`() {
        var batch: [UInt8] = []
        var capacities: Set<Int> = []
        for _ in 0..<1_000 {
            FrameEncoder.append(.text, payload: [UInt8](repeating: 0x2A, count: 200), to: &batch)
            capacities.insert(batch.capacity)
        }
        #expect(capacities.count < 30)
    }

    @Test func `a close frame has its code, and its reason is truncated at a scalar boundary`() {
        #expect(FrameEncoder.close(.goingAway, reason: "bye") == [0x88, 5, 0x03, 0xE9] + Array("bye".utf8))
        let fits = String(repeating: "a", count: 120) + "€"
        #expect(FrameEncoder.close(.normal, reason: fits).dropFirst(4) == Array(fits.utf8)[...])
        let over = String(repeating: "a", count: 121) + "€uro"
        #expect(FrameEncoder.close(.normal, reason: over).dropFirst(4) == Array(over.utf8.prefix(121))[...])
        let family = String(repeating: "a", count: 122) + "😀"
        #expect(FrameEncoder.close(.normal, reason: family).count == 4 + 122)
        let frame = FrameEncoder.close(.normal, reason: String(repeating: "é", count: 100_000), maskedBy: key)
        #expect(
            receive(frame).events == [.close(.normal, reason: Array(String(repeating: "é", count: 61).utf8))])
    }

    @Test(arguments: [0, 1, 125, 126, 65_535, 65_536])
    func `encoded frames are decoded by the receiver`(length: Int) {
        var random = SeededGenerator(seed: UInt64(length))
        let payload = random.bytes(length)
        #expect(receive(masked(.binary, payload)).events == [.binary(payload)])
        #expect(receive(unmasked(.binary, payload), as: .client).events == [.binary(payload)])
    }
}
