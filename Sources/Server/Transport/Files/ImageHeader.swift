/// The dimensions of a PNG or JPEG, read from its first bytes without decoding the image.
package struct ImageHeader: Equatable {
    /// The number of bytes examined: enough for the metadata that cameras write before the dimensions.
    package static let headBytes = 262_144

    package enum Format: Equatable {
        case png, jpeg
    }

    package let format: Format
    /// In pixels, at least 1.
    package let width: Int
    package let height: Int

    /// At most 2^62.
    package var pixels: Int { width * height }

    /// - Returns: `nil` for other formats, and when these bytes do not contain the dimensions.
    package init?(_ head: [UInt8]) {
        if head.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self.init(png: head)
        } else if head.starts(with: [0xFF, 0xD8]) {
            self.init(jpeg: head)
        } else {
            return nil
        }
    }

    private init?(_ format: Format, _ width: Int, _ height: Int) {
        guard width > 0, height > 0 else { return nil }
        (self.format, self.width, self.height) = (format, width, height)
    }

    /// The first chunk: `length: u32be = 13 | "IHDR" | width: u32be | height: u32be | …`. Width and height are below
    /// 2^31 (PNG §11.2.2).
    private init?(png head: [UInt8]) {
        guard head.count >= 24, head[8..<16].elementsEqual([0, 0, 0, 13] + Array("IHDR".utf8)) else { return nil }
        func number(at start: Int) -> Int { head[start..<start + 4].reduce(0) { $0 << 8 | Int($1) } }
        guard number(at: 16) <= Int32.max, number(at: 20) <= Int32.max else { return nil }
        self.init(.png, number(at: 16), number(at: 20))
    }

    /// Segments `0xFF | marker | length: u16be, itself included | …` up to a frame header, in which `precision: u8 |
    /// height: u16be | width: u16be` follow the length (ITU-T T.81 §B.2.2). Rejects a height of 0, which means that the
    /// height follows the pixels.
    private init?(jpeg head: [UInt8]) {
        var place = 2
        while place + 9 <= head.count {
            guard head[place] == 0xFF else { return nil }
            let marker = head[place + 1]
            switch marker {
            case 0xFF: place += 1  // Fill byte.
            case 0x01, 0xD0...0xD7: place += 2
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
                func number(at start: Int) -> Int { Int(head[start]) << 8 | Int(head[start + 1]) }
                self.init(.jpeg, number(at: place + 7), number(at: place + 5))
                return
            case 0x00, 0xD8...0xDA: return nil
            default:
                let length = Int(head[place + 2]) << 8 | Int(head[place + 3])
                guard length >= 2 else { return nil }
                place += 2 + length
            }
        }
        return nil
    }
}
