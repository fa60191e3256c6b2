import Transport

/// Why a body ends early or can no longer be written.
public enum RouteError: Error, Equatable, Sendable {
    /// The client has disconnected, or the server has stopped.
    case connectionLost
    /// The body exceeds its limit; the client has been told.
    case bodyTooLarge
    /// Two tasks read or write the same body at the same time.
    case usedTwice
    /// More was written than the declared length.
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

/// The bytes of a request body as they arrive; chunk boundaries have no meaning.
///
/// The bytes are delivered once: a new iterator continues where the last one stopped. While
/// `Routes.Limits.bufferBytes` are waiting, the server does not read from the client.
public struct RequestBody: AsyncSequence, Sendable {
    /// Iterates over the body, for one task at a time.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let exchange: RouteExchange

        /// - Returns: At least one byte; nil after the last one.
        /// - Throws: `RouteError`.
        public func next() async throws -> [UInt8]? {
            try await RouteError.translating { try await exchange.next() }
        }
    }

    let exchange: RouteExchange

    /// An iterator that continues where the last one stopped.
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
