import Testing

@testable import Journal

@Suite struct SegmentScannerTests {
    private static let header = FileHeader(.segment, contentVersion: 1, salt: 7, number: 1)

    @Test func `a segment without any frames is open, however large it is`() {
        for size in [36, 37, 4_131, 4_132, 4_133, 20_000] {
            let bytes = Self.header.encoded() + [UInt8](repeating: 0, count: size - FileHeader.size)
            #expect(SegmentScanner(header: Self.header).scan(bytes) { _, _ in }.kind == .open)
        }
    }

    @Test func `a single byte that is not part of a frame is found anywhere in the preallocated space`() {
        let size = 3 * 4_096
        for place in [36, 37, 4_095, 4_096, 4_097, 8_191, 8_192, 8_193, size - 4_097, size - 4_096, size - 2, size - 1]
        {
            var bytes = Self.header.encoded() + [UInt8](repeating: 0, count: size - FileHeader.size)
            bytes[place] = 1
            let kind = SegmentScanner(header: Self.header).scan(bytes) { _, _ in }.kind
            #expect(kind == .torn(bytes: place + 1 - FileHeader.size), "at \(place)")
        }
    }
}
