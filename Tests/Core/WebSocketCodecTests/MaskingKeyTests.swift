import TestSupport
import Testing
import WebSocketCodec

@Suite struct MaskingKeyTests {
    @Test func `the RFC example is unmasked`() {
        var bytes: [UInt8] = [0x7F, 0x9F, 0x4D, 0x51, 0x58]
        bytes.withUnsafeMutableBytes { key.apply(to: $0) }
        #expect(bytes == Array("Hello".utf8))
    }

    @Test func `a key keeps its byte order`() {
        #expect(MaskingKey(1, 2, 3, 4).bytes == [1, 2, 3, 4])
        #expect(MaskingKey(randomBits: 0x0403_0201) == MaskingKey(1, 2, 3, 4))
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `the fast loop equals the naive one for every length, phase and alignment`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let bytes = random.bytes(160)
        let key = MaskingKey(randomBits: UInt32.random(in: .min ... .max, using: &random))
        let keyBytes = key.bytes
        for length in 0...100 {
            for phase in 0..<9 {
                for alignment in 0..<8 {
                    var fast = bytes
                    fast.withUnsafeMutableBytes { all in
                        let part = UnsafeMutableRawBufferPointer(rebasing: all[alignment..<alignment + length])
                        key.apply(to: part, phase: phase)
                    }
                    var naive = bytes
                    for index in 0..<length { naive[alignment + index] ^= keyBytes[(index + phase) % 4] }
                    guard fast == naive else {
                        Issue.record("length \(length), phase \(phase), alignment \(alignment), seed \(seed)")
                        return
                    }
                }
            }
        }
    }

    @Test func `empty input and extreme phases are handled`() {
        key.apply(to: UnsafeMutableRawBufferPointer(start: nil, count: 0), phase: .max)
        var bytes: [UInt8] = [0, 0, 0, 0]
        bytes.withUnsafeMutableBytes { key.apply(to: $0, phase: Int.max) }
        #expect(bytes == [0x3D, 0x37, 0xFA, 0x21])
    }
}
