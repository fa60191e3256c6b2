/// A decoder for chunked bodies. RFC 9112 §7.1.
///
///     size: hexadecimal [;extension] CRLF | content: size bytes | CRLF     (repeated)
///     0 [;extension] CRLF | trailer fields, each with CRLF | CRLF
///
/// Extensions and trailers are validated, limited in size and discarded.
struct ChunkedBodyDecoder: Sendable {
    private enum State {
        case size
        /// The number of bytes of the chunk still missing.
        case content(Int)
        case contentEnd
        case trailers(FieldSection)
        case ended
    }

    private static let overheadLimit = 16_384

    private let limits: HTTPLimits
    private var state = State.size
    /// The number of content bytes announced so far.
    private var announced = 0
    /// The number of framing bytes beyond the allowance of 16 bytes per chunk plus twice its content.
    private var overhead = 0

    init(limits: HTTPLimits) {
        self.limits = limits
    }

    /// - Returns: The next part; nil if more bytes are needed. After the end, always `end`.
    mutating func next(from queue: inout ByteQueue) throws(HTTPViolation) -> BodyPart? {
        while true {
            switch state {
            case .size:
                let tooLong = HTTPViolation.chunkLineTooLong(limit: limits.chunkLineBytes)
                guard let line = try queue.nextLine(limit: limits.chunkLineBytes, orThrow: tooLong) else { return nil }
                let allowance = limits.bodyBytes - announced
                let limit = limits.bodyBytes
                let size = try queue.withLine(line) { (line) throws(HTTPViolation) in
                    try Self.size(in: line, allowance: allowance, limit: limit)
                }
                try count(line: line.count, size: size)
                state = size == 0 ? .trailers(FieldSection(keepsFields: false, usedBytes: 0)) : .content(size)
            case .content(let missing):
                guard queue.count > 0 else { return nil }
                let content = queue.removeFirst(atMost: missing)
                state = content.count == missing ? .contentEnd : .content(missing - content.count)
                return .content(content)
            case .contentEnd:
                guard let line = try queue.nextLine(limit: 0, orThrow: .unterminatedChunk), line.isEmpty else {
                    return nil
                }
                state = .size
            case .trailers(var section):
                let isWhole = try section.read(from: &queue, limits: limits)
                state = isWhole ? .ended : .trailers(section)
                if !isWhole { return nil }
            case .ended:
                return .end
            }
        }
    }

    /// Refuses a body that consists mostly of chunk sizes and extensions, as Go's net/http does.
    private mutating func count(line: Int, size: Int) throws(HTTPViolation) {
        announced += size
        // Doubling a size up to `bodyBytes` may overflow.
        let fairShare = size.multipliedReportingOverflow(by: 2)
        guard !fairShare.overflow else {
            overhead = 0
            return
        }
        overhead = max(0, overhead + line + 2 - 16 - min(fairShare.partialValue, Int.max / 2))
        guard overhead <= Self.overheadLimit else { throw .chunkOverheadTooLarge }
    }

    /// - Returns: The size of the chunk's content in bytes, at most `allowance`.
    private static func size(
        in line: Span<UInt8>, allowance: Int, limit: Int
    ) throws(HTTPViolation) -> Int {
        var size = 0
        var isTooLarge = false
        var index = 0
        while index < line.count, let digit = Grammar.hexDigit(line[index]) {
            let (shifted, overflow) = size.multipliedReportingOverflow(by: 16)
            let (sum, carry) = shifted.addingReportingOverflow(digit)
            isTooLarge = isTooLarge || overflow || carry || sum > allowance
            size = isTooLarge ? 0 : sum
            index += 1
        }
        guard index > 0, index == line.count || line[index] == UInt8(ascii: ";"),
            !line.contains(where: { !Grammar.isFieldValueByte($0) })
        else { throw .invalidChunkSize }
        guard !isTooLarge else { throw .bodyTooLarge(limit: limit) }
        return size
    }
}
