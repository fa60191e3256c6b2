import HTTPTypes

/// A request's head and the properties derived from it.
package struct RequestHead: Equatable, Sendable {
    /// The request. `authority` is the Host, which is not among the fields; `path` is the target's path, byte for byte,
    /// or `*`.
    package var request: HTTPRequest
    package var framing: BodyFraming
    /// Whether another request may follow: Connection does not contain `close`. RFC 9112 §9.3.
    package var keepAlive: Bool
    /// Whether the client waits for `100 Continue` before sending the body. RFC 9110 §10.1.1.
    package var expectsContinue: Bool

    package init(request: HTTPRequest, framing: BodyFraming, keepAlive: Bool, expectsContinue: Bool) {
        self.request = request
        self.framing = framing
        self.keepAlive = keepAlive
        self.expectsContinue = expectsContinue
    }
}

/// A parser for the head of one request, line by line as it arrives. RFC 9112 §2–§5.
struct RequestHeadParser: Sendable {
    private let limits: HTTPLimits
    private var skippedEmptyLine = false
    private var line: RequestLine?
    private var section = FieldSection(keepsFields: true, usedBytes: 0)

    init(limits: HTTPLimits) {
        self.limits = limits
    }

    /// The number of bytes in the field lines parsed so far, including the request line.
    var heldBytes: Int { section.usedBytes }

    /// - Returns: Nil if more bytes are needed.
    mutating func next(from queue: inout ByteQueue) throws(HTTPViolation) -> RequestHead? {
        while line == nil {
            let limit = min(limits.requestLineBytes, limits.headBytes)
            guard let range = try queue.nextLine(limit: limit, orThrow: .requestLineTooLong(limit: limit)) else {
                return nil
            }
            // Tolerate one empty line, because old clients send one after a body. RFC 9112 §2.2.
            if range.isEmpty, !skippedEmptyLine {
                skippedEmptyLine = true
                continue
            }
            line = try queue.withLine(range) { (line) throws(HTTPViolation) in try RequestLine(line) }
            section = FieldSection(keepsFields: true, usedBytes: range.count + 2)
        }
        guard let line, try section.read(from: &queue, limits: limits) else { return nil }
        return try head(line, section.fields)
    }

    private func head(_ line: RequestLine, _ fields: HTTPFields) throws(HTTPViolation) -> RequestHead {
        let framing = try BodyFraming.announced(by: fields, limits: limits) ?? .none
        let host = try host(in: fields, for: line.target)
        let path: String
        switch line.target {
        case .origin(let target): path = target
        case .absolute(_, _, let target): path = target
        case .asterisk: path = "*"
        }
        let expectations = fields[values: .expect].flatMap(Grammar.list)
        guard expectations.allSatisfy({ $0 == "100-continue" }) else { throw .unsupportedExpectation }
        let options = fields[values: .connection].flatMap(Grammar.list)
        var rest = fields
        rest.removeAll(where: Self.isHost)
        return RequestHead(
            request: HTTPRequest(
                method: line.method, scheme: nil, authority: host, path: path, headerFields: rest),
            framing: framing,
            keepAlive: !options.contains("close"),
            expectsContinue: !expectations.isEmpty && framing != .none)
    }

    /// Returns the only Host field, which must match an absolute-form target. RFC 9112 §3.2.
    private func host(in fields: HTTPFields, for target: RequestTarget) throws(HTTPViolation) -> String {
        let hosts = fields.filter(Self.isHost).map(\.value)
        guard let host = hosts.first else { throw .missingHost }
        guard hosts.count == 1 else { throw .severalHosts }
        guard let authority = Authority(host) else { throw .invalidHost }
        if case .absolute(let scheme, let text, _) = target {
            guard let other = Authority(text), authority.isSame(as: other, scheme: scheme) else {
                throw .conflictingAuthority
            }
        }
        return host
    }

    /// Returns whether a field is Host. HTTPTypes defines no such name, because it keeps Host outside the fields.
    private static func isHost(_ field: HTTPField) -> Bool {
        field.name.canonicalName == "host"
    }
}

/// A request line: method, target and version. RFC 9112 §3.
struct RequestLine: Equatable, Sendable {
    var method: HTTPRequest.Method
    var target: RequestTarget

    init(_ line: Span<UInt8>) throws(HTTPViolation) {
        guard let first = line.firstIndex(of: UInt8(ascii: " ")) else { throw .invalidRequestLine }
        let afterMethod = line.extracting((first + 1)..<line.count)
        guard let second = afterMethod.firstIndex(of: UInt8(ascii: " ")) else { throw .invalidRequestLine }
        let version = afterMethod.extracting((second + 1)..<afterMethod.count)
        guard version.firstIndex(of: UInt8(ascii: " ")) == nil else { throw .invalidRequestLine }

        let name = line.extracting(0..<first)
        guard !name.contains(where: { !Grammar.isTokenByte($0) }), let method = HTTPRequest.Method(name.text) else {
            throw .invalidMethod
        }
        try Self.checkVersion(version)
        target = try RequestTarget.parse(afterMethod.extracting(0..<second))
        self.method = method
        // Only OPTIONS allows the target `*`; CONNECT is not supported.
        guard target != .asterisk || method == .options, method != .connect else { throw .invalidTarget }
    }

    /// Accepts only HTTP/1.1. HTTP/1.0 would need different rules for Host, keep-alive and chunks. RFC 9112 §2.3.
    static func checkVersion(_ version: Span<UInt8>) throws(HTTPViolation) {
        let text = version.text
        if text == "HTTP/1.1" { return }
        guard version.count == 8, text.hasPrefix("HTTP/"), Grammar.isDigit(version[5]),
            version[6] == UInt8(ascii: "."), Grammar.isDigit(version[7])
        else { throw .invalidVersion }
        throw .unsupportedVersion
    }
}
