import HTTPTypes
import Synchronization

/// Why the exchange of a route does not go on.
package enum RouteFailure: Error, Equatable, Sendable {
    /// The peer, or the server, has ended the connection.
    case connectionLost
    /// The request's body is longer than it may be.
    case bodyTooLarge
    /// Two tasks read the same body, or write the same one, at the same time.
    case usedTwice
    /// More was written than the length that was said.
    case longerThanSaid
}

/// One request to a route of the host, between its connection, which lives on a loop, and the task that answers it.
///
/// Either side waits for the other with bounds: the body is not read from the socket while `bufferBytes` of it wait for
/// the task, and the task waits with each piece until the piece before has left for the kernel.
package final class RouteExchange: Sendable {
    /// What the task wants done on the loop.
    enum Step: Sendable {
        case whole(HTTPResponse, [UInt8])
        /// A head whose body follows in pieces; without a length they are chunks. RFC 9112 §7.1.
        case head(HTTPResponse, length: Int64?, hasBody: Bool)
        case piece([UInt8])
        case end
        /// The answer cannot be completed: the connection ends, so that nobody takes it for whole.
        case cut
        /// The body that waited is read.
        case readOn
    }

    enum BodyEnd {
        case whole
        case failed(RouteFailure)
    }

    /// Bytes of one piece of an answer.
    package static let pieceBytes = 65_536

    private struct State {
        var waiting: [UInt8] = []
        var bodyEnd: BodyEnd?
        var reader: CheckedContinuation<[UInt8]?, any Error>?
        var writer: CheckedContinuation<Void, any Error>?
        var isReadingPaused = false
        var hasBegun = false
        var isOver = false
        /// Of the length that was said.
        var unwritten: Int64?
        var task: Task<Void, Never>?
    }

    private let state = Mutex(State())
    private let bufferBytes: Int
    private let hand: @Sendable (Step, RouteExchange) -> Void

    /// - Parameter hand: Carries a step to the loop, in the order of the calls; from any queue.
    init(bufferBytes: Int, hand: @escaping @Sendable (Step, RouteExchange) -> Void) {
        self.bufferBytes = bufferBytes
        self.hand = hand
    }

    // MARK: The connection's side

    /// - Returns: False when no more is to be read until `readOn`.
    func offer(_ bytes: [UInt8]) -> Bool {
        let (reader, goesOn) = state.withLock { state -> (CheckedContinuation<[UInt8]?, any Error>?, Bool) in
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
        return goesOn
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

    /// The last piece has left.
    func wrote() {
        let writer = state.withLock { state in
            defer { state.writer = nil }
            return state.writer
        }
        writer?.resume()
    }

    /// Nothing more can come or go: whoever waits hears of it, and the task is cancelled.
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

    /// Bytes that wait to be read by the task.
    package var heldBytes: Int { state.withLock { $0.waiting.count } }

    // MARK: The task's side

    /// The task to cancel when the connection ends.
    package func run(_ task: Task<Void, Never>) {
        let isOver = state.withLock { state in
            if !state.isOver { state.task = task }
            return state.isOver
        }
        if isOver { task.cancel() }
    }

    /// Whether the connection is gone, or the answer is complete.
    package var isOver: Bool { state.withLock { $0.isOver } }
    /// Whether the head of an answer was handed over: then no other answer can be given.
    package var hasBegun: Bool { state.withLock { $0.hasBegun } }

    /// What has come of the body and was not read.
    ///
    /// - Returns: At least one byte; nil behind the last one.
    /// - Throws: `RouteFailure`.
    package func next() async throws -> [UInt8]? {
        try await withCheckedThrowingContinuation { continuation in
            let outcome = state.withLock { state -> (result: Result<[UInt8]?, any Error>?, readsOn: Bool) in
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
            if outcome.readsOn { hand(.readOn, self) }
            if let result = outcome.result { continuation.resume(with: result) }
        }
    }

    /// Gives the answer at once.
    package func answer(_ response: HTTPResponse, _ body: [UInt8]) {
        state.withLock { ($0.hasBegun, $0.isOver) = (true, true) }
        hand(.whole(response, body), self)
    }

    /// Gives the head of an answer; waits until it has left.
    ///
    /// - Parameters:
    ///   - length: Bytes of the body, if that is known.
    ///   - hasBody: False where the head is all there is, as in answer to HEAD.
    package func begin(_ response: HTTPResponse, length: Int64?, hasBody: Bool) async throws {
        state.withLock { ($0.hasBegun, $0.unwritten) = (true, hasBody ? length : nil) }
        try await say(.head(response, length: length, hasBody: hasBody))
    }

    /// Gives a part of the body, of any size; waits until it has left.
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
            try await say(.piece(Array(piece)))
        }
    }

    /// - Returns: False when less was written than was said; the connection ends then.
    package func finish() -> Bool {
        let isWhole = state.withLock { state in
            state.isOver = true
            return (state.unwritten ?? 0) == 0
        }
        hand(isWhole ? .end : .cut, self)
        return isWhole
    }

    /// Ends the connection in the middle of the answer.
    package func cut() { hand(.cut, self) }

    private func say(_ step: Step) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let failure = state.withLock { state -> RouteFailure? in
                if state.isOver { return .connectionLost }
                if state.writer != nil { return .usedTwice }
                state.writer = continuation
                return nil
            }
            if let failure { return continuation.resume(throwing: failure) }
            hand(step, self)
        }
    }
}
