/// What comes out of a client's bytes, in the order head, body*, end.
package enum RequestPart: Equatable, Sendable {
    case head(RequestHead)
    /// At least one byte of the body; how it is cut means nothing.
    case body([UInt8])
    /// After every head, also one without a body.
    case end
}

/// Turns the bytes of a client into requests: feed what was read, then pull until nil.
///
/// Requests may be pipelined; the next head comes after `end`. After the head of an upgrade stop pulling and call
/// ``takeUnconsumed()``: what follows is not HTTP. After the `end` of a request with `Connection: close` all
/// further bytes are ignored.
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

    /// Bytes held at the moment, those of the lines of an unfinished head among them.
    package var bufferedBytes: Int {
        guard case .head(let parser) = state else { return queue.count }
        return queue.count + parser.heldBytes
    }

    /// Takes a copy of `bytes`; they are ignored after a violation and after the last request.
    package mutating func feed(_ bytes: UnsafeRawBufferPointer) {
        switch state {
        case .head, .body: queue.append(bytes)
        case .ended, .failed: break
        }
    }

    /// The next part of a request.
    ///
    /// - Returns: Nil when more bytes are needed.
    /// - Throws: The rule that was broken, after all that was complete before it; the same again on every call.
    package mutating func next() throws(HTTPViolation) -> RequestPart? {
        do throws(HTTPViolation) {
            switch state {
            case .head(var parser):
                // Lets go of the parser, or every field it adds would copy all fields.
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

    /// The bytes after the last part that was pulled, such as frames sent right behind an upgrade; they are gone
    /// from the decoder then.
    package mutating func takeUnconsumed() -> [UInt8] {
        queue.removeAll()
    }
}
