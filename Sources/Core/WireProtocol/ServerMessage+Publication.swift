/// A fast path for the most frequent message.
extension ServerMessage {
    private static let head = Array(#"{"push":{"channel":""#.utf8)
    private static let offset = Array(#"","pub":{"offset":"#.utf8)
    private static let data = Array(#","data":"#.utf8)

    /// Decodes a frame with exactly one stored publication, as written by Belfry. It scans the frame only once, unlike
    /// `decode`, which scans it once per nesting level.
    ///
    /// - Returns: The same result as `decode`, or nil if `decode` must be used.
    package static func publication(in text: [UInt8]) -> ServerMessage? {
        var position = 0
        guard skip(head, text, &position) else { return nil }
        let roomStart = position
        while position < text.count, text[position] != UInt8(ascii: "\"") {
            guard text[position] >= 0x20, text[position] != UInt8(ascii: "\\") else { return nil }
            position += 1
        }
        guard let room = String(validating: text[roomStart..<position], as: UTF8.self),
            skip(Self.offset, text, &position), let offset = number(text, &position), skip(data, text, &position)
        else { return nil }
        var scanner = JSONScanner(text[...], at: position)
        guard (try? scanner.skipValue()) != nil else { return nil }
        let json = text[position..<scanner.position]
        guard text[scanner.position...].elementsEqual("}}}".utf8), json.first == UInt8(ascii: "{") else { return nil }
        return .push(channel: room, .publication(Publication(offset: offset, data: Array(json))))
    }

    private static func skip(_ expected: [UInt8], _ text: [UInt8], _ position: inout Int) -> Bool {
        guard text.count - position >= expected.count else { return false }
        for index in expected.indices where text[position + index] != expected[index] { return false }
        position += expected.count
        return true
    }

    /// Reads up to 18 digits without a leading zero. `decode` handles longer numbers.
    private static func number(_ text: [UInt8], _ position: inout Int) -> UInt64? {
        let start = position
        var number: UInt64 = 0
        while position < text.count, (0x30...0x39).contains(text[position]) {
            guard position - start < 18 else { return nil }
            number = number * 10 + UInt64(text[position] - 0x30)
            position += 1
        }
        guard position > start, text[start] != 0x30 else { return nil }
        return number
    }
}
