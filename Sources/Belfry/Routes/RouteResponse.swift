import FoundationEssentials
import HTTPTypes
import Transport

/// A route's response: a head and a body, which is complete or streamed.
///
/// The server itself sets `Content-Length`, `Transfer-Encoding`, `Connection`, `Upgrade` and `Date`, and ignores values
/// given for them.
public struct RouteResponse: Sendable {
    enum Body: Sendable {
        case bytes([UInt8])
        case stream(length: Int64?, @Sendable (ResponseWriter) async throws -> Void)
    }

    /// The status and the header fields.
    public var head: HTTPResponse
    let body: Body

    /// Creates a response with a complete body.
    public init(_ status: HTTPResponse.Status, headerFields: HTTPFields = [:], body: [UInt8] = []) {
        head = HTTPResponse(status: status, headerFields: headerFields)
        self.body = .bytes(body)
    }

    /// Creates a response with a streamed body, sent as fast as the client reads it.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - headerFields: The header fields; the server adds length and connection fields.
    ///   - length: The body's length in bytes, if known; otherwise it is sent in chunks (RFC 9112 §7.1).
    ///   - write: Writes the body after the head; not called when there is no body (HEAD, 204, 304). If it throws or
    ///     writes less than `length`, the server closes the connection so that the client cannot mistake the body for
    ///     complete.
    public init(
        _ status: HTTPResponse.Status, headerFields: HTTPFields = [:], length: Int64? = nil,
        write: @escaping @Sendable (ResponseWriter) async throws -> Void
    ) {
        head = HTTPResponse(status: status, headerFields: headerFields)
        body = .stream(length: length.map { max(0, $0) }, write)
    }

    /// Creates a response whose body is streamed from a sequence.
    public init<Bytes: AsyncSequence & Sendable>(
        _ status: HTTPResponse.Status, headerFields: HTTPFields = [:], length: Int64? = nil, streaming bytes: Bytes
    ) where Bytes.Element == [UInt8] {
        self.init(status, headerFields: headerFields, length: length) { writer in
            for try await piece in bytes { try await writer.write(piece) }
        }
    }

    /// Returns a response of plain text in UTF-8.
    public static func text(_ text: String, status: HTTPResponse.Status = .ok) -> RouteResponse {
        RouteResponse(
            status, headerFields: [.contentType: "text/plain; charset=utf-8"], body: Array(text.utf8))
    }

    /// Returns a response with a value encoded as JSON.
    ///
    /// - Throws: The error of the value's `Encodable` conformance.
    public static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> RouteResponse {
        RouteResponse(
            status, headerFields: [.contentType: "application/json"], body: Array(try JSONEncoder().encode(value)))
    }
}

/// Writes the body of a response.
public struct ResponseWriter: Sendable {
    let exchange: RouteExchange

    /// Writes any number of bytes and returns once the connection has accepted them, so that at most one piece of 64
    /// KiB waits in the server.
    ///
    /// - Throws: `RouteError`.
    public func write(_ bytes: [UInt8]) async throws {
        try await RouteError.translating { try await exchange.write(bytes) }
    }

    /// Writes text as UTF-8.
    ///
    /// - Throws: `RouteError`.
    public func write(_ text: String) async throws { try await write(Array(text.utf8)) }
}
