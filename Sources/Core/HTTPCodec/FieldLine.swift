import HTTPTypes

/// One field line of a head or trailer section. RFC 9112 §5.
enum FieldLine {
    /// Parses a line without its line end; the line is not empty and has no CR or LF.
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
    /// Empty when the fields are dropped.
    private(set) var fields = HTTPFields()
    private let keepsFields: Bool
    private var count = 0
    /// Bytes used of `HTTPLimits.headBytes`, line ends included.
    private(set) var usedBytes: Int

    /// - Parameters:
    ///   - keepsFields: False for trailers: none has a meaning here, and none may change a head.
    ///   - usedBytes: Bytes that the line before the fields has used of the head's limit.
    init(keepsFields: Bool, usedBytes: Int) {
        self.keepsFields = keepsFields
        self.usedBytes = usedBytes
    }

    /// - Returns: Whether the empty line was reached.
    mutating func read(from queue: inout ByteQueue, limits: HTTPLimits) throws(HTTPViolation) -> Bool {
        while true {
            let tooLarge = HTTPViolation.headTooLarge(limit: limits.headBytes)
            // Two bytes are for the line's own CRLF.
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
