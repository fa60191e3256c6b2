import Testing
import Transport

/// `MS1`: an image's size, read without decoding it.
@Suite struct ImageHeaderTests {
    private func png(_ width: [UInt8], _ height: [UInt8]) -> [UInt8] {
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8) + width + height
            + [8, 2, 0, 0, 0]
    }

    private func frame(_ marker: UInt8, _ height: [UInt8] = [0x01, 0x02], _ width: [UInt8] = [0x03, 0x04]) -> [UInt8] {
        [0xFF, marker, 0, 17, 8] + height + width + [3]
    }

    private func size(_ head: [UInt8]) -> [Int]? { ImageHeader(head).map { [$0.width, $0.height] } }

    @Test func `MS1: a PNG's size is read from its first chunk`() {
        #expect(size(png([0, 0, 1, 2], [0, 0, 0, 3])) == [258, 3])
        #expect(ImageHeader(png([0, 0, 1, 2], [0, 0, 0, 3]))?.format == .png)
        #expect(size(png([0x7F, 0xFF, 0xFF, 0xFF], [0x7F, 0xFF, 0xFF, 0xFF])) == [2_147_483_647, 2_147_483_647])
        #expect(ImageHeader(png([0, 0, 0xC3, 0x50], [0, 0, 0xC3, 0x50]))?.pixels == 2_500_000_000)
        #expect(size(png([0x80, 0, 0, 0], [0, 0, 0, 1])) == nil)
        #expect(size(png([0, 0, 0, 0], [0, 0, 0, 1])) == nil)
        #expect(size(png([0, 0, 0, 1], [0, 0, 0, 0])) == nil)
        var other = png([0, 0, 0, 1], [0, 0, 0, 1])
        other[12] = UInt8(ascii: "i")
        #expect(size(other) == nil)
    }

    @Test func `MS1: a JPEG's size is read from its frame header, after any camera metadata`() {
        let start: [UInt8] = [0xFF, 0xD8]
        let exif: [UInt8] = [0xFF, 0xE1, 0, 6] + frame(0xC0, [9, 9], [9, 9]).prefix(4)
        for marker: UInt8 in [0xC0, 0xC1, 0xC2, 0xC3, 0xC5, 0xCF] {
            #expect(size(start + frame(marker)) == [0x304, 0x102])
        }
        #expect(size(start + exif + [0xFF] + frame(0xC2)) == [0x304, 0x102], "fill bytes may stand before a marker")
        #expect(size(start + [0xFF, 0x01] + frame(0xC0)) == [0x304, 0x102])
        #expect(size(start + [0xFF, 0xC4, 0, 2] + frame(0xC0)) == [0x304, 0x102], "tables are no frame")
        #expect(ImageHeader(start + frame(0xC0))?.format == .jpeg)
        #expect(size(start + frame(0xC0, [0, 0])) == nil, "told behind the pixels")
        #expect(size(start + frame(0xC0, [0, 1], [0, 0])) == nil)
        #expect(size(start + [0xFF, 0xDA, 0, 2] + frame(0xC0)) == nil, "pixels before a frame")
        #expect(size(start + [0xFF, 0xE0, 0, 1] + frame(0xC0)) == nil, "a length that goes back")
        #expect(size(start + [0xFF, 0xE0, 0xFF, 0xFF] + frame(0xC0)) == nil)
        #expect(size(start + [0x00] + frame(0xC0)) == nil)
    }

    @Test func `truncated images and non-image files have no dimensions`() {
        let heads = [
            png([0, 0, 1, 2], [0, 0, 0, 3]).dropLast(5),
            ([0xFF, 0xD8, 0xFF, 0xE1, 0, 4, 1, 2] + frame(0xC0)).dropLast(),
        ]
        for head in heads {
            #expect(size(Array(head)) != nil)
            for end in 0..<head.count { #expect(size(Array(head.prefix(end))) == nil, "\(end)") }
        }
        #expect(size(Array("GIF89a".utf8) + [1, 0, 1, 0]) == nil)
    }
}
