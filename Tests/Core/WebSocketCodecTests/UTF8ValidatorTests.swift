import TestSupport
import Testing
import WebSocketCodec

@Suite struct UTF8ValidatorTests {
    private func accepts(_ bytes: [UInt8]) -> Bool {
        var validator = UTF8Validator()
        return bytes.withUnsafeBytes { validator.validate($0) } && validator.isComplete
    }

    @Test(
        arguments: [
            ([], true), ([0x00], true), ([0x7F], true), ([0x80], false), ([0xBF], false), ([0xC0, 0x80], false),
            ([0xC1, 0xBF], false), ([0xC2, 0x80], true), ([0xDF, 0xBF], true), ([0xC2, 0x7F], false),
            ([0xC2, 0xC0], false), ([0xE0, 0x9F, 0xBF], false), ([0xE0, 0xA0, 0x80], true),
            ([0xEC, 0xBF, 0xBF], true), ([0xED, 0x9F, 0xBF], true), ([0xED, 0xA0, 0x80], false),
            ([0xEE, 0x80, 0x80], true), ([0xEF, 0xBF, 0xBF], true), ([0xF0, 0x8F, 0xBF, 0xBF], false),
            ([0xF0, 0x90, 0x80, 0x80], true), ([0xF3, 0xBF, 0xBF, 0xBF], true), ([0xF4, 0x8F, 0xBF, 0xBF], true),
            ([0xF4, 0x90, 0x80, 0x80], false), ([0xF5, 0x80, 0x80, 0x80], false), ([0xFF], false),
            ([0xE2, 0x82], false), ([0xF0, 0x9F, 0x98], false), ([0xC2], false),
        ] as [([UInt8], Bool)])
    func `valid and invalid sequences are distinguished on both sides of every boundary`(
        bytes: [UInt8], isValid: Bool
    ) {
        #expect(accepts(bytes) == isValid)
        #expect(UTF8Validator.isValid(bytes.span) == isValid)
        // Before and after a run long enough for the fast path.
        #expect(accepts(Array("eleven more".utf8) + bytes) == isValid)
        #expect(accepts(bytes + Array("eleven more".utf8)) == isValid)
    }

    @Test func `an impossible byte is refused as soon as it arrives`() {
        let table: [([UInt8], UInt8)] = [([0xED], 0xA0), ([0xF4], 0x90), ([0xE0], 0x80), ([0xF0, 0x9F], 0x41)]
        for (start, bad) in table {
            var validator = UTF8Validator()
            #expect(start.withUnsafeBytes { validator.validate($0) })
            #expect(!validator.isComplete)
            #expect(![bad].withUnsafeBytes { validator.validate($0) })
        }
    }

    /// Returns a text, a text with one changed byte, or noise.
    private func sample(_ random: inout SeededGenerator) -> [UInt8] {
        let alphabet = ["a", "hello there ", "é", "ß", "€", "日本", "😀", "\u{10FFFF}", "\u{800}", "\u{FFFF}", "\0"]
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 0...12, using: &random) {
            bytes += Array((alphabet.randomElement(using: &random) ?? "").utf8)
        }
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return random.bytes(Int.random(in: 0...12, using: &random))
        case 1:
            guard let index = bytes.indices.randomElement(using: &random) else { return [] }
            bytes[index] = UInt8.random(in: .min ... .max, using: &random)
            return bytes
        case 2: return bytes.dropLast()
        default: return bytes
        }
    }

    @Test(arguments: [7, 77, 777] as [UInt64])
    func `the result matches the standard library's, however the input is split`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for round in 0..<20_000 {
            let bytes = sample(&random)
            var validator = UTF8Validator()
            var isValid = true
            var start = 0
            while isValid, start < bytes.count {
                let end = Int.random(in: start...bytes.count, using: &random)
                isValid = Array(bytes[start..<end]).withUnsafeBytes { validator.validate($0) }
                start = end
            }
            let expected = String(validating: bytes, as: UTF8.self) != nil
            guard (isValid && validator.isComplete) == expected, UTF8Validator.isValid(bytes.span) == expected else {
                Issue.record("\(bytes), round \(round), seed \(seed)")
                return
            }
        }
    }

    @Test(arguments: [5] as [UInt64])
    func `every accepted prefix can be completed`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let completions: [[UInt8]] = [
            [], [0x80], [0x80, 0x80], [0x80, 0x80, 0x80], [0xA0, 0x80], [0x90, 0x80, 0x80],
        ]
        for _ in 0..<5_000 {
            let bytes = sample(&random)
            var validator = UTF8Validator()
            let isPossible = bytes.withUnsafeBytes { validator.validate($0) }
            let canBeCompleted = completions.contains { String(validating: bytes + $0, as: UTF8.self) != nil }
            #expect(isPossible == canBeCompleted, "\(bytes), seed \(seed)")
        }
    }
}
