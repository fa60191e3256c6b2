/// Detects a file's type from its first bytes, because a name proves nothing.
enum ContentType {
    /// Number of bytes examined.
    static let headBytes = 512

    static func of(_ head: [UInt8]) -> String {
        for (offset, mark, type) in marks where head.dropFirst(offset).starts(with: mark) { return type }
        if head.starts(with: Array("RIFF".utf8)), head.dropFirst(8).starts(with: Array("WEBP".utf8)) {
            return "image/webp"
        }
        return isText(head) ? "text/plain" : "application/octet-stream"
    }

    private static let marks: [(offset: Int, mark: [UInt8], type: String)] = [
        (0, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "image/png"),
        (0, [0xFF, 0xD8, 0xFF], "image/jpeg"),
        (0, Array("GIF87a".utf8), "image/gif"),
        (0, Array("GIF89a".utf8), "image/gif"),
        (0, Array("%PDF-".utf8), "application/pdf"),
        (4, Array("ftyp".utf8), "video/mp4"),
        (0, [0x50, 0x4B, 0x03, 0x04], "application/zip"),
        (0, [0x50, 0x4B, 0x05, 0x06], "application/zip"),
    ]

    /// Accepts UTF-8 without control characters other than tab, line feed, form feed and carriage return. The last
    /// character may be truncated.
    private static func isText(_ head: [UInt8]) -> Bool {
        let hasControls = head.contains { $0 < 0x20 && ![0x09, 0x0A, 0x0C, 0x0D].contains($0) || $0 == 0x7F }
        guard !head.isEmpty, !hasControls else { return false }
        let cuts = head.count == headBytes ? 0...3 : 0...0
        return cuts.contains { String(validating: head.dropLast($0), as: UTF8.self) != nil }
    }
}
