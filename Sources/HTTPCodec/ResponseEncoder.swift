import HTTPTypes

/// Writes responses. RFC 9112 §4, §6.
package enum ResponseEncoder {
    /// Appends one response.
    ///
    /// The encoder alone says where the body ends: Content-Length and Transfer-Encoding among the fields are left
    /// out. A value cannot hold CR, LF or NUL; `HTTPField` turns them into spaces.
    ///
    /// - Parameters:
    ///   - body: Left out, with its length, for 1xx, 204 and 304, which have none. RFC 9110 §6.4.1.
    ///   - closes: Adds `Connection: close`, except to 1xx.
    ///   - includesBody: False in answer to HEAD; the length is that of `body` all the same.
    ///   - contentLength: Of a body that follows in pieces; `body` is then empty.
    package static func append(
        _ response: HTTPResponse, body: [UInt8], closes: Bool, includesBody: Bool = true, contentLength: Int? = nil,
        to bytes: inout [UInt8]
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
        if mayHaveBody { append("Content-Length: \(contentLength ?? body.count)\r\n", to: &bytes) }
        if closes, !isInterim { append("Connection: close\r\n", to: &bytes) }
        append("\r\n", to: &bytes)
        if mayHaveBody, includesBody { bytes.append(contentsOf: body) }
    }

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: text.utf8)
    }
}
