import HTTPTypes
import Synchronization

/// The reason a route's exchange failed.
package enum RouteFailure: Error, Equatable, Sendable {
    /// The peer or the server closed the connection.
    case connectionLost
    /// The request's body exceeds the limit.
    case bodyTooLarge
    /// Two tasks read the same body, or write the same response, at the same time.
    case usedTwice
    /// The handler wrote more than the announced length.
    case longerThanSaid
}

/// One request to a host route, between its connection on a loop and the task that answers it.
///
/// Both directions have backpressure: the socket is not read while `bufferBytes` of the body wait for the task, and
/// after each piece the task waits until the kernel has accepted it.
package final class RouteExchange: Sendable {
    /// A step that the task asks the loop to perform.
    enum Step: Sendable {
        case whole(HTTPResponse, [UInt8])
        /// Send a response head. Its body follows in pieces, chunked when there is no length. RFC 9112 §7.1.
        case head(HTTPResponse, length: Int64?, hasBody: Bool)
        case piece([UInt8])
        case end
        /// Close the connection, because the response cannot be completed and nobody may mistake it for complete.
        case abort
        /// Resume reading, because the task has read the waiting body bytes.
        case resumeReading
    }

    enum BodyEnd {
        case whole
        case failed(RouteFailure)
    }

    /// The maximum number of bytes in one piece of a response.
    package static let pieceBytes = 65_536

    private struct State {
        var waiting: [UInt8] = []
        var bodyEnd: BodyEnd?
        var reader: CheckedContinuation<[UInt8]?, any Error>?
        var writer: CheckedContinuation<Void, any Error>?
        var isReadingPaused = false
        var hasBegun = false
        var isOver = false
        /// The bytes of the announced length that are still to be written.
        var unwritten: Int64?
        var task: Task<Void, Never>?
    }

    private let state = Mutex(State())
    private let bufferBytes: Int
    private let post: @Sendable (Step, RouteExchange) -> Void

    /// - Parameter post: Posts a step to the loop, in call order, from any queue.
    init(bufferBytes: Int, post: @escaping @Sendable (Step, RouteExchange) -> Void) {
        self.bufferBytes = bufferBytes
        self.post = post
    }

    // MARK: The connection's side

    /// - Returns: False when nothing more may be read until `resumeReading`.
    func offer(_ bytes: [UInt8]) -> Bool {
        let (reader, keepsReading) = state.withLock { state -> (CheckedContinuation<[UInt8]?, any Error>?, Bool) in
            guard !state.isOver, state.bodyEnd == nil else { return (nil, true) }
            if let reader = state.reader {
                state.reader = nil
                return (reader, true)
            }
            state.waiting += bytes
            state.isReadingPaused = state.waiting.count >= bufferBytes
            return (nil, !state.isReadingPaused)
        }
        reader?.resume(returning: bytes)
        return keepsReading
    }

    func endBody(_ end: BodyEnd) {
        let reader = state.withLock { state in
            if state.bodyEnd == nil { state.bodyEnd = end }
            defer { state.reader = nil }
            return state.reader
        }
        switch end {
        case .whole: reader?.resume(returning: nil)
        case .failed(let failure): reader?.resume(throwing: failure)
        }
    }

    /// Records that the last piece was written to the kernel.
    func pieceWritten() {
        let writer = state.withLock { state in
            defer { state.writer = nil }
            return state.writer
        }
        writer?.resume()
    }

    /// Ends the exchange: fails waiting readers and writers, and cancels the task.
    func abandon() {
        let (reader, writer, task) = state.withLock { state in
            state.isOver = true
            state.waiting = []
            defer { (state.reader, state.writer, state.task) = (nil, nil, nil) }
            return (state.reader, state.writer, state.task)
        }
        reader?.resume(throwing: RouteFailure.connectionLost)
        writer?.resume(throwing: RouteFailure.connectionLost)
        task?.cancel()
    }

    /// The number of bytes waiting for the task to read them.
    package var heldBytes: Int { state.withLock { $0.waiting.count } }

    // MARK: The task's side

    /// Sets the task to cancel when the connection ends.
    package func setTask(_ task: Task<Void, Never>) {
        let isOver = state.withLock { state in
            if !state.isOver { state.task = task }
            return state.isOver
        }
        if isOver { task.cancel() }
    }

    /// Whether the connection is gone or the response is complete.
    package var isOver: Bool { state.withLock { $0.isOver } }
    /// Whether the handler has begun a response, so that no other response is possible.
    package var hasBegun: Bool { state.withLock { $0.hasBegun } }

    /// Returns the body bytes received and not yet read, and waits if there are none.
    ///
    /// - Returns: At least one byte; nil at the end of the body.
    /// - Throws: `RouteFailure`.
    package func next() async throws -> [UInt8]? {
        try await withCheckedThrowingContinuation { continuation in
            let outcome = state.withLock { state -> (result: Result<[UInt8]?, any Error>?, resumesReading: Bool) in
                if state.reader != nil { return (.failure(RouteFailure.usedTwice), false) }
                if !state.waiting.isEmpty {
                    defer { (state.waiting, state.isReadingPaused) = ([], false) }
                    return (.success(state.waiting), state.isReadingPaused)
                }
                switch state.bodyEnd {
                case .whole: return (.success(nil), false)
                case .failed(let failure): return (.failure(failure), false)
                case nil where state.isOver: return (.failure(RouteFailure.connectionLost), false)
                case nil:
                    state.reader = continuation
                    return (nil, false)
                }
            }
            if outcome.resumesReading { post(.resumeReading, self) }
            if let result = outcome.result { continuation.resume(with: result) }
        }
    }

    /// Sends a complete response.
    package func answer(_ response: HTTPResponse, _ body: [UInt8]) {
        state.withLock { ($0.hasBegun, $0.isOver) = (true, true) }
        post(.whole(response, body), self)
    }

    /// Sends a response head and waits until it is written.
    ///
    /// - Parameters:
    ///   - length: Length of the body in bytes, if known.
    ///   - hasBody: False when the response has no body, as for HEAD.
    package func begin(_ response: HTTPResponse, length: Int64?, hasBody: Bool) async throws {
        state.withLock { ($0.hasBegun, $0.unwritten) = (true, hasBody ? length : nil) }
        try await postAndWait(.head(response, length: length, hasBody: hasBody))
    }

    /// Sends part of the body, of any size, and waits until it is written.
    package func write(_ bytes: [UInt8]) async throws {
        let fits = state.withLock { state in
            guard let unwritten = state.unwritten else { return true }
            guard bytes.count <= unwritten else { return false }
            state.unwritten = unwritten - Int64(bytes.count)
            return true
        }
        guard fits else { throw RouteFailure.longerThanSaid }
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Self.pieceBytes)
            rest = rest.dropFirst(piece.count)
            try await postAndWait(.piece(Array(piece)))
        }
    }

    /// - Returns: False when less was written than announced; the connection then closes.
    package func finish() -> Bool {
        let isWhole = state.withLock { state in
            state.isOver = true
            return (state.unwritten ?? 0) == 0
        }
        post(isWhole ? .end : .abort, self)
        return isWhole
    }

    /// Closes the connection before the response is complete.
    package func abort() { post(.abort, self) }

    private func postAndWait(_ step: Step) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let failure = state.withLock { state -> RouteFailure? in
                if state.isOver { return .connectionLost }
                if state.writer != nil { return .usedTwice }
                state.writer = continuation
                return nil
            }
            if let failure { return continuation.resume(throwing: failure) }
            post(step, self)
        }
    }
}
