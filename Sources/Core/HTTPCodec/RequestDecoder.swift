/// A part of a request, in the order head, body*, end.
package enum RequestPart: Equatable, Sendable {
    case head(RequestHead)
    /// At least one byte of the body; boundaries between pieces have no meaning.
    case body([UInt8])
    /// The end of the request, even if it has no body.
    case end
}

/// A decoder for a client's requests. Feed it the bytes read, then call ``next()`` until it returns nil.
///
/// Requests may be pipelined; the next head follows `end`. After the head of an upgrade, call ``removeUnconsumed()``
/// instead, because the remaining bytes are not HTTP. After a request with `Connection: close`, all further bytes are
/// ignored.
package struct RequestDecoder: Sendable {
    private enum State {
        case head(RequestHeadParser)
        case body(BodyDecoder, keepAlive: Bool)
        case ended
        case failed(HTTPViolation)
    }

    private let limits: HTTPLimits
    private var state: State
    private var queue = ByteQueue()

    package init(limits: HTTPLimits = HTTPLimits()) {
        self.limits = limits
        state = .head(RequestHeadParser(limits: limits))
    }

    /// The number of bytes currently held, including the lines of an incomplete head.
    package var bufferedBytes: Int {
        guard case .head(let parser) = state else { return queue.count }
        return queue.count + parser.heldBytes
    }

    /// Copies `bytes`. Does nothing after a violation or after the last request.
    package mutating func feed(_ bytes: UnsafeRawBufferPointer) {
        switch state {
        case .head, .body: queue.append(bytes)
        case .ended, .failed: break
        }
    }

    /// Returns the next part of a request.
    ///
    /// - Returns: Nil if more bytes are needed.
    /// - Throws: The violation, after all complete parts before it; the same error again on every further call.
    package mutating func next() throws(HTTPViolation) -> RequestPart? {
        do throws(HTTPViolation) {
            switch state {
            case .head(var parser):
                // Release the state's reference to the parser; otherwise adding a field would copy all fields.
                state = .ended
                guard let head = try parser.next(from: &queue) else {
                    state = .head(parser)
                    return nil
                }
                state = .body(BodyDecoder(head.framing, limits: limits), keepAlive: head.keepAlive)
                return .head(head)
            case .body(var decoder, let keepAlive):
                let part = try decoder.next(from: &queue)
                state = .body(decoder, keepAlive: keepAlive)
                switch part {
                case nil:
                    return nil
                case .content(let bytes):
                    return .body(bytes)
                case .end:
                    state = keepAlive ? .head(RequestHeadParser(limits: limits)) : .ended
                    return .end
                }
            case .ended:
                return nil
            case .failed(let violation):
                throw violation
            }
        } catch {
            state = .failed(error)
            _ = queue.removeAll()
            throw error
        }
    }

    /// Removes and returns the bytes after the last returned part, such as frames sent immediately after an upgrade.
    package mutating func removeUnconsumed() -> [UInt8] {
        queue.removeAll()
    }
}
