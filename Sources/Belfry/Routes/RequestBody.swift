import Transport

/// The reason a body ends early or cannot be written any further.
public enum RouteError: Error, Equatable, Sendable {
    /// The client has disconnected, or the server has stopped.
    case connectionLost
    /// The body exceeds its limit; the client has received an error response.
    case bodyTooLarge
    /// Two tasks read or write the same body at the same time.
    case usedTwice
    /// The handler wrote more than the declared length.
    case exceedsDeclaredLength

    init(_ failure: RouteFailure) {
        switch failure {
        case .connectionLost: self = .connectionLost
        case .bodyTooLarge: self = .bodyTooLarge
        case .usedTwice: self = .usedTwice
        case .longerThanSaid: self = .exceedsDeclaredLength
        }
    }

    static func translating<Value>(_ body: () async throws -> Value) async throws -> Value {
        do { return try await body() } catch let failure as RouteFailure { throw RouteError(failure) }
    }
}

/// The bytes of a request body as they arrive. Chunk boundaries have no meaning.
///
/// Each byte is delivered once: a new iterator continues where the last one stopped. While `Routes.Limits.bufferBytes`
/// are waiting, the server does not read from the client.
public struct RequestBody: AsyncSequence, Sendable {
    /// Iterates over the body, for one task at a time.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let exchange: RouteExchange

        /// Waits for more of the body and returns it.
        ///
        /// - Returns: At least one byte; nil at the end of the body.
        /// - Throws: `RouteError`.
        public func next() async throws -> [UInt8]? {
            try await RouteError.translating { try await exchange.next() }
        }
    }

    let exchange: RouteExchange

    /// Makes an iterator that continues where the last one stopped.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(exchange: exchange) }

    /// Reads the whole body.
    ///
    /// - Throws: `RouteError`; `.bodyTooLarge` when it exceeds the limit in bytes.
    public func collect(upTo limit: Int) async throws -> [UInt8] {
        var all: [UInt8] = []
        for try await bytes in self {
            guard bytes.count <= limit - all.count else { throw RouteError.bodyTooLarge }
            all += bytes
        }
        return all
    }
}
