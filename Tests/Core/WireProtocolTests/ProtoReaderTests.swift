import TestSupport
import Testing
import WireProtocol

@Suite struct ProtoReaderTests {
    /// Reads bytes in both ways and returns the results.
    private func read<Result>(_ bytes: [UInt8], _ body: (inout ProtoReader) -> Result) -> Result {
        bytes.withUnsafeBytes {
            var reader = ProtoReader($0)
            return body(&reader)
        }
    }

    @Test(arguments: [1, 127, 128, 16_383, 16_384, 1 << 32, 1 << 56, 1 << 63, .max] as [UInt64])
    func `a number round-trips, however many bytes it takes`(number: UInt64) {
        var writer = ProtoWriter(capacity: 16)
        writer.number(15, number)
        writer.fixed(536_870_911, number)
        #expect(read(writer.bytes) { [$0.number(15), $0.fixed(536_870_911)] } == [number, number])
        let fields = read(writer.bytes) { reader in [reader.next()?.value, reader.next()?.value] }
        #expect(fields == [.number(number), .other])
        for end in writer.bytes.indices {
            let isDone = read(Array(writer.bytes[..<end])) { reader in
                while reader.next() != nil {}
                return reader.isDone
            }
            #expect(isDone == (end == 0 || end == writer.bytes.count - 13), "cut at \(end)")
        }
    }

    @Test func `fields requested in order are found`() {
        var writer = ProtoWriter(capacity: 16)
        writer.number(1, 7)
        writer.text(3, "three")
        let read = read(writer.bytes) { reader in
            (reader.number(1), reader.text(2), reader.text(3), reader.number(1), reader.isDone)
        }
        #expect(read == (7, "", "three", 0, true))
    }

    @Test func `reading a nested message never reads beyond it`() {
        let bytes: [UInt8] = [0x08, 0x05, 0x0A, 0x02, 0x08, 0x80, 0x01]
        bytes.withUnsafeBytes { raw in
            // The inner number would end only after its message.
            var inner = ProtoReader(raw, in: 4..<6)
            #expect(inner.next() == nil && inner.hasFailed && !inner.isDone)
            var first = ProtoReader(raw, in: 0..<2)
            #expect(first.number(1) == 5 && first.isDone)
            var none = ProtoReader(raw, in: 7..<7)
            #expect(none.next() == nil && none.isDone)
        }
    }

    @Test(arguments: [5, 55] as [UInt64])
    func `any bytes are read to their end or fail, and never beyond their end`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<5_000 {
            let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                random.chance(2)
                    ? UInt8.random(in: 0...255, using: &random) : random.pick([0x08, 0x0A, 0x0B, 0x0C, 0x80])
            }
            read(bytes) { reader in
                while let (field, value) = reader.next() {
                    #expect(field > 0)
                    if case .bytes(let range) = value { #expect(range.upperBound <= bytes.count) }
                }
                #expect(reader.offset <= bytes.count && (reader.hasFailed || reader.isAtEnd))
            }
        }
    }
}
