import HTTPTypes

/// A part of a response, in the order head, body*, end.
package enum ResponsePart: Equatable, Sendable {
    case head(HTTPResponse, BodyFraming)
    /// At least one byte of the body; boundaries between pieces have no meaning.
    case body([UInt8])
    /// The end of the response, even if it has no body.
    case end
}

/// A decoder for a server's responses, sufficient for upgrades and simple requests in tests and the load tester.
///
/// It skips 1xx responses except 101. A body must have a length or chunks. After the head of a 101, call
/// ``removeUnconsumed()`` instead, because the remaining bytes are not HTTP.
package struct ResponseDecoder: Sendable {
    private enum State {
        case statusLine
        case fields(HTTPResponse.Status, FieldSection)
        case body(BodyDecoder)
        case failed(HTTPViolation)
    }

    /// Whether the next response answers a HEAD request; it may then announce a length but has no body. RFC 9112 §6.3.
    package var answersHead: Bool

    private let limits: HTTPLimits
    private var state = State.statusLine
    private var queue = ByteQueue()

    package init(limits: HTTPLimits = HTTPLimits(), answersHead: Bool = false) {
        self.limits = limits
        self.answersHead = answersHead
    }

    /// Copies `bytes`. Does nothing after a violation.
    package mutating func feed(_ bytes: UnsafeRawBufferPointer) {
        if case .failed = state { return }
        queue.append(bytes)
    }

    /// Returns the next part of a response.
    ///
    /// - Returns: Nil if more bytes are needed.
    /// - Throws: The violation, after all complete parts before it; the same error again on every further call.
    package mutating func next() throws(HTTPViolation) -> ResponsePart? {
        do throws(HTTPViolation) {
            return try advance()
        } catch {
            state = .failed(error)
            _ = queue.removeAll()
            throw error
        }
    }

    /// Removes and returns the bytes after the last returned part.
    package mutating func removeUnconsumed() -> [UInt8] {
        queue.removeAll()
    }

    private mutating func advance() throws(HTTPViolation) -> ResponsePart? {
        while true {
            switch state {
            case .statusLine:
                let tooLarge = HTTPViolation.headTooLarge(limit: limits.headBytes)
                guard let line = try queue.nextLine(limit: limits.headBytes, orThrow: tooLarge) else { return nil }
                let status = try queue.withLine(line) { (line) throws(HTTPViolation) in try Self.status(in: line) }
                state = .fields(status, FieldSection(keepsFields: true, usedBytes: line.count + 2))
            case .fields(let status, var section):
                // Release the state's reference to the section; otherwise adding a field would copy all fields.
                state = .statusLine
                guard try section.read(from: &queue, limits: limits) else {
                    state = .fields(status, section)
                    return nil
                }
                if status.kind == .informational, status != .switchingProtocols {
                    state = .statusLine
                    continue
                }
                let framing = try framing(of: status, section.fields)
                state = .body(BodyDecoder(framing, limits: limits))
                return .head(HTTPResponse(status: status, headerFields: section.fields), framing)
            case .body(var decoder):
                let part = try decoder.next(from: &queue)
                state = .body(decoder)
                switch part {
                case nil:
                    return nil
                case .content(let bytes):
                    return .body(bytes)
                case .end:
                    state = .statusLine
                    return .end
                }
            case .failed(let violation):
                throw violation
            }
        }
    }

    private func framing(
        of status: HTTPResponse.Status, _ fields: HTTPFields
    ) throws(HTTPViolation) -> BodyFraming {
        if answersHead || status == .switchingProtocols || status == .noContent || status == .notModified {
            return .none
        }
        guard let framing = try BodyFraming.announced(by: fields, limits: limits) else { throw .unframedBody }
        return framing
    }

    /// Parses a status line such as `HTTP/1.1 200 OK`. The phrase may be empty, but the space before it is required.
    /// RFC 9112 §4.
    private static func status(in line: Span<UInt8>) throws(HTTPViolation) -> HTTPResponse.Status {
        guard line.count >= 13, line[8] == UInt8(ascii: " "), line[12] == UInt8(ascii: " ") else {
            throw .invalidStatusLine
        }
        try RequestLine.checkVersion(line.extracting(0..<8))
        guard let code = Grammar.decimal(line.extracting(9..<12).text), (100...599).contains(code) else {
            throw .invalidStatusLine
        }
        let phrase = line.extracting(13..<line.count)
        guard !phrase.contains(where: { !Grammar.isFieldValueByte($0) }) else { throw .invalidStatusLine }
        return HTTPResponse.Status(code: code, reasonPhrase: phrase.text)
    }
}
