import HTTPTypes

/// A violation of RFC 9110, RFC 9112 or one of Belfry's limits by the peer. It closes the connection.
package enum HTTPViolation: Error, Hashable, Sendable {
    // Lines. RFC 9112 §2.2.
    /// A line that ends with only an LF.
    case bareLineFeed
    /// A CR not followed by LF.
    case bareCarriageReturn

    // The request line. RFC 9112 §3.
    case requestLineTooLong(limit: Int)
    /// A request line that is not three parts separated by single spaces, or a second empty line before it.
    case invalidRequestLine
    /// A method that is not a token.
    case invalidMethod
    /// A target that is not a path, an http or https URI, or `*` for OPTIONS; any target of CONNECT.
    case invalidTarget
    /// A version not in the format `HTTP/1.1`.
    case invalidVersion
    /// A version other than HTTP/1.1, including HTTP/1.0.
    case unsupportedVersion

    // Fields. RFC 9112 §5, RFC 9110 §5.
    case headTooLarge(limit: Int)
    case tooManyFields(limit: Int)
    /// A field line that begins with whitespace (obs-fold).
    case foldedLine
    case whitespaceBeforeColon
    /// A field line without a colon, or with a name that is not a token.
    case invalidFieldName
    /// A field value with a control character.
    case invalidFieldValue

    // The host. RFC 9112 §3.2.
    case missingHost
    case severalHosts
    case invalidHost
    /// An absolute-form target whose authority differs from Host.
    case conflictingAuthority

    // The body's length. RFC 9112 §6.
    case lengthWithTransferEncoding
    case severalContentLengths
    /// A Content-Length that is not a decimal number below 2⁶³.
    case invalidContentLength
    /// A transfer coding other than `chunked`.
    case unsupportedTransferCoding
    /// Multiple Transfer-Encoding fields, an empty coding, or `chunked` repeated or not last.
    case invalidTransferEncoding
    case bodyTooLarge(limit: Int)
    /// An expectation other than `100-continue`. RFC 9110 §10.1.1.
    case unsupportedExpectation

    // Chunks. RFC 9112 §7.1.
    /// A chunk size that is not hexadecimal digits, optionally followed by `;`, or an extension with a control
    /// character.
    case invalidChunkSize
    case chunkLineTooLong(limit: Int)
    /// Far more chunk framing than content.
    case chunkOverheadTooLarge
    /// A chunk whose content is not followed by CRLF.
    case unterminatedChunk

    // Responses. RFC 9112 §4, §6.3.
    case invalidStatusLine
    /// A response whose body has neither a length nor chunks, and would end when the connection closes.
    case unframedBody

    /// The status of the server's response to the violation; unused in clients.
    package var status: HTTPResponse.Status {
        switch self {
        case .requestLineTooLong: .uriTooLong
        case .headTooLarge, .tooManyFields: .requestHeaderFieldsTooLarge
        case .bodyTooLarge: .contentTooLarge
        case .unsupportedVersion: .httpVersionNotSupported
        case .unsupportedTransferCoding: .notImplemented
        case .unsupportedExpectation: .expectationFailed
        case .invalidStatusLine, .unframedBody: .badGateway
        case .bareLineFeed, .bareCarriageReturn, .invalidRequestLine, .invalidMethod, .invalidTarget,
            .invalidVersion, .foldedLine, .whitespaceBeforeColon, .invalidFieldName, .invalidFieldValue,
            .missingHost, .severalHosts, .invalidHost, .conflictingAuthority, .lengthWithTransferEncoding,
            .severalContentLengths, .invalidContentLength, .invalidTransferEncoding, .invalidChunkSize,
            .chunkLineTooLong, .chunkOverheadTooLarge, .unterminatedChunk:
            .badRequest
        }
    }
}

extension HTTPViolation: CustomStringConvertible {
    package var description: String {
        switch self {
        case .bareLineFeed: "a line ends with LF instead of CRLF"
        case .bareCarriageReturn: "a CR is not followed by LF"
        case .requestLineTooLong(let limit): "the request line is longer than \(limit) bytes"
        case .invalidRequestLine: "the request line is not a method, a target and a version"
        case .invalidMethod: "the method is not a token"
        case .invalidTarget: "the request target is malformed"
        case .invalidVersion: "the version is malformed"
        case .unsupportedVersion: "only HTTP/1.1 is supported"
        case .headTooLarge(let limit): "the head is larger than \(limit) bytes"
        case .tooManyFields(let limit): "there are more than \(limit) fields"
        case .foldedLine: "a field line begins with whitespace"
        case .whitespaceBeforeColon: "there is whitespace before a field's colon"
        case .invalidFieldName: "a field name is not a token"
        case .invalidFieldValue: "a field value has a control character"
        case .missingHost: "Host is missing"
        case .severalHosts: "Host is given more than once"
        case .invalidHost: "Host is malformed"
        case .conflictingAuthority: "the target names another host than Host"
        case .lengthWithTransferEncoding: "both Content-Length and Transfer-Encoding are given"
        case .severalContentLengths: "Content-Length is given more than once"
        case .invalidContentLength: "Content-Length is malformed"
        case .unsupportedTransferCoding: "the only supported transfer coding is chunked"
        case .invalidTransferEncoding: "Transfer-Encoding is malformed"
        case .bodyTooLarge(let limit): "the body is larger than \(limit) bytes"
        case .unsupportedExpectation: "the only supported expectation is 100-continue"
        case .invalidChunkSize: "a chunk size is malformed"
        case .chunkLineTooLong(let limit): "a chunk size and its extensions are longer than \(limit) bytes"
        case .chunkOverheadTooLarge: "the chunks have much more framing than content"
        case .unterminatedChunk: "a chunk is not followed by CRLF"
        case .invalidStatusLine: "the status line is malformed"
        case .unframedBody: "the body has no length"
        }
    }
}
