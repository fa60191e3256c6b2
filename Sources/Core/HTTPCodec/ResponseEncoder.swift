import HTTPTypes

/// An encoder for responses. RFC 9112 §4, §6.
package enum ResponseEncoder {
    /// Appends one response.
    ///
    /// The encoder alone determines the framing and ignores Content-Length and Transfer-Encoding fields in `response`.
    /// Field values cannot contain CR, LF or NUL, because `HTTPField` replaces them with spaces.
    ///
    /// - Parameters:
    ///   - body: The body. Omitted, with its length, for 1xx, 204 and 304, which have no body. RFC 9110 §6.4.1.
    ///   - closes: Whether to add `Connection: close`, except to 1xx.
    ///   - includesBody: False for a HEAD response, which still announces the length of `body`.
    ///   - contentLength: The length in bytes of a body that follows separately; `body` is then empty.
    ///   - isChunked: Whether a body of unknown length follows, as the output of `chunk` and finally `lastChunk`. RFC
    ///     9112 §7.1.
    package static func append(
        _ response: HTTPResponse, body: [UInt8], closes: Bool, includesBody: Bool = true, contentLength: Int? = nil,
        isChunked: Bool = false, to bytes: inout [UInt8]
    ) {
        let code = response.status.code
        let isInterim = code < 200
        let mayHaveBody = !isInterim && code != 204 && code != 304
        bytes.reserveCapacity(max(bytes.count + 256 + body.count, bytes.capacity))
        append("HTTP/1.1 ", to: &bytes)
        for divisor in [100, 10, 1] { bytes.append(UInt8(ascii: "0") + UInt8(code / divisor % 10)) }
        bytes.append(UInt8(ascii: " "))
        append(response.status.reasonPhrase, to: &bytes)
        append("\r\n", to: &bytes)
        for field in response.headerFields where field.name != .contentLength && field.name != .transferEncoding {
            append(field.name.rawName, to: &bytes)
            append(": ", to: &bytes)
            field.withUnsafeBytesOfValue { bytes.append(contentsOf: $0) }
            append("\r\n", to: &bytes)
        }
        if mayHaveBody, isChunked {
            append("Transfer-Encoding: chunked\r\n", to: &bytes)
        } else if mayHaveBody {
            append("Content-Length: \(contentLength ?? body.count)\r\n", to: &bytes)
        }
        if closes, !isInterim { append("Connection: close\r\n", to: &bytes) }
        append("\r\n", to: &bytes)
        if mayHaveBody, includesBody { bytes.append(contentsOf: body) }
    }

    /// - Parameter bytes: The content of the chunk, at least one byte, because an empty chunk ends the body.
    package static func chunk(_ bytes: [UInt8]) -> [UInt8] {
        Array((String(bytes.count, radix: 16) + "\r\n").utf8) + bytes + [13, 10]
    }

    package static let lastChunk = Array("0\r\n\r\n".utf8)

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: text.utf8)
    }
}
