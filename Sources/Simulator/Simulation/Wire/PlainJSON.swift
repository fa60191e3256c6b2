/// A minimal, strict JSON reader for the parts of RFC 8259 that a client needs. It shares no code with the server.
struct PlainJSON {
    /// One value, without surrounding whitespace.
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    subscript(_ name: String) -> PlainJSON? { members()?[name] }

    var number: UInt64? { UInt64(String(decoding: bytes, as: UTF8.self)) }
    var isTrue: Bool { bytes == Array("true".utf8) }

    /// The text of a string without escapes, as all names, codes and epochs are.
    var text: String? {
        guard bytes.count >= 2, bytes.first == 34, bytes.last == 34, !bytes.contains(92) else { return nil }
        return String(decoding: bytes[1..<bytes.count - 1], as: UTF8.self)
    }

    /// - Returns: The members of an object in order; nil when it is not an object.
    func members() -> [(name: String, value: PlainJSON)]? {
        guard let parts = parts(from: 123, to: 125) else { return nil }
        var members: [(String, PlainJSON)] = []
        for part in parts {
            guard part.first == 34, let end = Self.end(ofText: part), end < part.count, part[end] == 58 else {
                return nil
            }
            members.append(
                (String(decoding: part[1..<end - 1], as: UTF8.self), PlainJSON(Array(part[(end + 1)...]))))
        }
        return members
    }

    /// - Returns: The values of an array; nil when it is not an array.
    func items() -> [PlainJSON]? { parts(from: 91, to: 93)?.map { PlainJSON($0) } }

    /// Returns the index after the closing quote of a string that starts at the first byte.
    private static func end(ofText bytes: [UInt8]) -> Int? {
        var index = 1
        while index < bytes.count {
            if bytes[index] == 34 { return index + 1 }
            index += bytes[index] == 92 ? 2 : 1
        }
        return nil
    }

    /// Returns the parts between the outermost brackets, split at commas, or nil if brackets or strings are unbalanced.
    private func parts(from open: UInt8, to close: UInt8) -> [[UInt8]]? {
        guard bytes.count >= 2, bytes.first == open, bytes.last == close else { return nil }
        var commas: [Int] = []
        let isSound = bytes.withUnsafeBufferPointer { bytes in
            var expected: [UInt8] = []
            var index = 0
            while index < bytes.count {
                let byte = bytes[index]
                if byte == 34 {
                    index += 1
                    while index < bytes.count, bytes[index] != 34 {
                        guard bytes[index] >= 32 else { return false }
                        index += bytes[index] == 92 ? 2 : 1
                    }
                    guard index < bytes.count else { return false }
                } else if byte == 123 || byte == 91 {
                    expected.append(byte + 2)
                } else if byte == 125 || byte == 93 {
                    guard expected.popLast() == byte, !expected.isEmpty || index == bytes.count - 1 else {
                        return false
                    }
                } else if byte == 44, expected.count == 1 {
                    commas.append(index)
                }
                index += 1
            }
            return expected.isEmpty
        }
        guard isSound else { return nil }
        if bytes.count == 2 { return [] }
        let bounds = [0] + commas + [bytes.count - 1]
        var parts: [[UInt8]] = []
        for (start, end) in zip(bounds, bounds.dropFirst()) {
            guard end > start + 1 else { return nil }
            parts.append(Array(bytes[(start + 1)..<end]))
        }
        return parts
    }
}

extension [(name: String, value: PlainJSON)] {
    subscript(_ name: String) -> PlainJSON? { last { $0.name == name }?.value }
}
