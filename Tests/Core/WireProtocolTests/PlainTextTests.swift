import Testing

@testable import WireProtocol

@Suite struct PlainTextTests {
    private func run(_ bytes: [UInt8], from start: Int = 0) -> (end: Int, isASCII: Bool) {
        bytes.withUnsafeBytes { PlainText.run(in: $0, from: start) }
    }

    @Test func `a run ends at every byte that needs an escape, at any position`() {
        for byte in UInt8.min ... .max {
            let isPlain = byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
            for place in 0..<20 {
                // Bytes that differ by one from those that end a run.
                for neighbour in [0x20, 0x21, 0x23, 0x5B, 0x5D, 0x7F] as [UInt8] {
                    var bytes = Array(repeating: neighbour, count: 20)
                    bytes[place] = byte
                    let (end, isASCII) = run(bytes)
                    #expect(end == (isPlain ? 20 : place))
                    #expect(isASCII == (!isPlain || byte < 0x80))
                }
            }
        }
    }

    @Test func `a run starts where requested, and is empty at the end`() {
        let bytes = Array("\"\"abcdefghij\"k".utf8)
        #expect(run(bytes, from: 2).end == 12)
        #expect(run(bytes, from: 12).end == 12)
        #expect(run(bytes, from: bytes.count).end == bytes.count)
        #expect(run([]).end == 0)
    }

    @Test func `bytes after the end of a run are ignored`() {
        #expect(run(Array("ab\"é".utf8)).isASCII)
        #expect(!run(Array("é\"abcdefgh".utf8)).isASCII)
    }
}
