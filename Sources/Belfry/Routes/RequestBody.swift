import Transport

/// Why a body ends before its end, or cannot be written on.
public enum RouteError: Error, Equatable, Sendable {
    /// The client is gone, or the server has stopped.
    case connectionLost
    /// The body is longer than it may be; the client has been told so.
    case bodyTooLarge
    /// Two tasks read, or write, the same body at the same time.
    case usedTwice
    /// More is written than the length that the response said.
    case longerThanSaid

    init(_ failure: RouteFailure) {
        switch failure {
        case .connectionLost: self = .connectionLost
        case .bodyTooLarge: self = .bodyTooLarge
        case .usedTwice: self = .usedTwice
        case .longerThanSaid: self = .longerThanSaid
        }
    }

    static func translating<Value>(_ body: () async throws -> Value) async throws -> Value {
        do { return try await body() } catch let failure as RouteFailure { throw RouteError(failure) }
    }
}

/// The bytes of a request, as they come; how they are cut means nothing.
///
/// They come once: every iterator goes on where the last one stopped. While as much waits as `Routes.Limits.bufferBytes`
/// says, the client is not read.
public struct RequestBody: AsyncSequence, Sendable {
    public struct AsyncIterator: AsyncIteratorProtocol {
        let exchange: RouteExchange

        /// - Returns: At least one byte; nil behind the last one.
        /// - Throws: `RouteError`.
        public func next() async throws -> [UInt8]? {
            try await RouteError.translating { try await exchange.next() }
        }
    }

    let exchange: RouteExchange

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(exchange: exchange) }

    /// All of it.
    ///
    /// - Throws: `RouteError`: `.bodyTooLarge` when there are more than so many bytes.
    public func collect(upTo limit: Int) async throws -> [UInt8] {
        var all: [UInt8] = []
        for try await bytes in self {
            guard bytes.count <= limit - all.count else { throw RouteError.bodyTooLarge }
            all += bytes
        }
        return all
    }
}
