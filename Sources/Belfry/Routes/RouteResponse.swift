import FoundationEssentials
import HTTPTypes
import Transport

/// What a route answers: a head, and a body that is there or comes.
///
/// `Content-Length`, `Transfer-Encoding`, `Connection`, `Upgrade` and `Date` are the server's to say; those that are given
/// are left out.
public struct RouteResponse: Sendable {
    enum Body: Sendable {
        case bytes([UInt8])
        case stream(length: Int64?, @Sendable (ResponseWriter) async throws -> Void)
    }

    public var head: HTTPResponse
    let body: Body

    /// An answer whose body is there.
    public init(_ status: HTTPResponse.Status, headerFields: HTTPFields = [:], body: [UInt8] = []) {
        head = HTTPResponse(status: status, headerFields: headerFields)
        self.body = .bytes(body)
    }

    /// An answer whose body comes in pieces, as fast as the client takes them.
    ///
    /// - Parameters:
    ///   - status: Of the head.
    ///   - headerFields: Of the head; the length and the connection's own are added.
    ///   - length: Its bytes, if that is known; otherwise it is sent in chunks (RFC 9112 §7.1).
    ///   - write: Runs behind the head, unless nobody wants a body (HEAD, 204, 304). When it throws, or has written less
    ///     than `length`, the connection ends, so that the client cannot take the body for whole.
    public init(
        _ status: HTTPResponse.Status, headerFields: HTTPFields = [:], length: Int64? = nil,
        write: @escaping @Sendable (ResponseWriter) async throws -> Void
    ) {
        head = HTTPResponse(status: status, headerFields: headerFields)
        body = .stream(length: length.map { max(0, $0) }, write)
    }

    /// The same from a sequence.
    public init<Bytes: AsyncSequence & Sendable>(
        _ status: HTTPResponse.Status, headerFields: HTTPFields = [:], length: Int64? = nil, streaming bytes: Bytes
    ) where Bytes.Element == [UInt8] {
        self.init(status, headerFields: headerFields, length: length) { writer in
            for try await piece in bytes { try await writer.write(piece) }
        }
    }

    public static func text(_ text: String, status: HTTPResponse.Status = .ok) -> RouteResponse {
        RouteResponse(
            status, headerFields: [.contentType: "text/plain; charset=utf-8"], body: Array(text.utf8))
    }

    /// - Throws: What the value's `Encodable` throws.
    public static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> RouteResponse {
        RouteResponse(
            status, headerFields: [.contentType: "application/json"], body: Array(try JSONEncoder().encode(value)))
    }
}

/// Where the body of an answer is written to.
public struct ResponseWriter: Sendable {
    let exchange: RouteExchange

    /// Gives bytes, as many as there are; comes back when the client's side has taken them over, so that no more than one
    /// piece of 64 KiB waits in the server.
    ///
    /// - Throws: `RouteError`.
    public func write(_ bytes: [UInt8]) async throws {
        try await RouteError.translating { try await exchange.write(bytes) }
    }

    public func write(_ text: String) async throws { try await write(Array(text.utf8)) }
}
