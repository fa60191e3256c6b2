import HTTPTypes

/// How the length of a message's body is determined. RFC 9112 §6.3.
package enum BodyFraming: Hashable, Sendable {
    case none
    /// The length of the content in bytes, at least 1.
    case length(Int)
    case chunked

    /// Returns the framing announced by the header fields.
    ///
    /// - Returns: Nil if no framing is announced; `none` for a length of 0.
    /// - Throws: The first framing violation; each could allow request smuggling.
    static func announced(
        by fields: HTTPFields, limits: HTTPLimits
    ) throws(HTTPViolation) -> BodyFraming? {
        let lengths = fields[values: .contentLength]
        let codings = fields[values: .transferEncoding]
        guard lengths.isEmpty || codings.isEmpty else { throw .lengthWithTransferEncoding }
        if let coding = codings.first {
            guard codings.count == 1 else { throw .invalidTransferEncoding }
            try checkCoding(coding)
            return .chunked
        }
        guard let text = lengths.first else { return nil }
        guard lengths.count == 1 else { throw .severalContentLengths }
        guard let length = Grammar.decimal(text) else { throw .invalidContentLength }
        guard length <= limits.bodyBytes else { throw .bodyTooLarge(limit: limits.bodyBytes) }
        return length == 0 ? BodyFraming.none : .length(length)
    }

    /// Accepts only `chunked`. Unsupported codings and invalid lists are different violations. RFC 9112 §6.1.
    private static func checkCoding(_ value: String) throws(HTTPViolation) {
        let codings = Grammar.list(value)
        if codings == ["chunked"] { return }
        let chunked = codings.indices.filter { codings[$0] == "chunked" }
        guard !codings.contains(""), chunked.isEmpty || chunked == [codings.count - 1] else {
            throw .invalidTransferEncoding
        }
        throw .unsupportedTransferCoding
    }
}

/// A piece of a body, or the end of the body.
enum BodyPart: Equatable, Sendable {
    /// At least one byte.
    case content([UInt8])
    case end
}

/// A decoder for bodies with any framing.
enum BodyDecoder: Sendable {
    /// The number of bytes still missing.
    case length(Int)
    case chunked(ChunkedBodyDecoder)

    init(_ framing: BodyFraming, limits: HTTPLimits) {
        switch framing {
        case .none: self = .length(0)
        case .length(let length): self = .length(length)
        case .chunked: self = .chunked(ChunkedBodyDecoder(limits: limits))
        }
    }

    /// - Returns: The next part; nil if more bytes are needed.
    mutating func next(from queue: inout ByteQueue) throws(HTTPViolation) -> BodyPart? {
        switch self {
        case .length(0):
            return .end
        case .length(let missing):
            guard queue.count > 0 else { return nil }
            let content = queue.removeFirst(atMost: missing)
            self = .length(missing - content.count)
            return .content(content)
        case .chunked(var decoder):
            let part = try decoder.next(from: &queue)
            self = .chunked(decoder)
            return part
        }
    }
}
