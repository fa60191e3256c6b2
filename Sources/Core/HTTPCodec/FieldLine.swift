import HTTPTypes

/// A parser for one field line of a head or trailer section. RFC 9112 §5.
enum FieldLine {
    /// Parses a line, passed without its line ending. The line is not empty and contains no CR or LF.
    ///
    /// - Throws: `foldedLine`, `whitespaceBeforeColon`, `invalidFieldName` or `invalidFieldValue`.
    static func parse(_ line: Span<UInt8>) throws(HTTPViolation) -> HTTPField {
        guard line.count > 0, !Grammar.isSpace(line[0]) else { throw .foldedLine }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0 else { throw .invalidFieldName }
        guard !Grammar.isSpace(line[colon - 1]) else { throw .whitespaceBeforeColon }
        let nameBytes = line.extracting(0..<colon)
        guard !nameBytes.contains(where: { !Grammar.isTokenByte($0) }),
            let name = HTTPField.Name(nameBytes.text)
        else { throw .invalidFieldName }
        let value = line.extracting((colon + 1)..<line.count)
        guard !value.contains(where: { !Grammar.isFieldValueByte($0) }) else { throw .invalidFieldValue }
        return value.extracting(value.contentRange).withUnsafeBufferPointer { HTTPField(name: name, value: $0) }
    }
}

/// The field lines of a head or trailer section, parsed as they arrive. RFC 9112 §5, §7.1.2.
struct FieldSection: Sendable {
    /// The fields so far; always empty if fields are discarded.
    private(set) var fields = HTTPFields()
    private let keepsFields: Bool
    private var count = 0
    /// The number of bytes used of `HTTPLimits.headBytes`, including line endings.
    private(set) var usedBytes: Int

    /// - Parameters:
    ///   - keepsFields: Whether to keep the fields; false for trailers, which are not used and must not change the
    ///     head.
    ///   - usedBytes: The number of bytes of the head's limit used by the request or status line.
    init(keepsFields: Bool, usedBytes: Int) {
        self.keepsFields = keepsFields
        self.usedBytes = usedBytes
    }

    /// - Returns: Whether the section is complete.
    mutating func read(from queue: inout ByteQueue, limits: HTTPLimits) throws(HTTPViolation) -> Bool {
        while true {
            let tooLarge = HTTPViolation.headTooLarge(limit: limits.headBytes)
            // Reserve two bytes for the line's CRLF.
            let allowance = limits.headBytes - usedBytes - 2
            guard let line = try queue.nextLine(limit: allowance, orThrow: tooLarge) else { return false }
            usedBytes += line.count + 2
            guard !line.isEmpty else { return true }
            count += 1
            guard count <= limits.fieldCount else { throw .tooManyFields(limit: limits.fieldCount) }
            let field = try queue.withLine(line) { (line) throws(HTTPViolation) in try FieldLine.parse(line) }
            if keepsFields { fields.append(field) }
        }
    }
}
