/// A decoder for the messages of one direction. Feed it the bytes read, then call ``next()`` until it returns nil.
///
/// Payloads are unmasked, inflated and validated as they arrive, so invalid bytes are detected before their frame is
/// complete. Memory use depends on the bytes received, not on the announced length, and the message limit bounds
/// inflated bytes.
package struct WebSocketReceiver: ~Copyable, Sendable {
    private enum State {
        case open
        case closed
        case failed(ProtocolViolation)
    }

    /// A data frame whose header is consumed but whose payload is incomplete.
    private struct OpenFrame {
        var isFinal: Bool
        var maskingKey: MaskingKey?
        /// The number of payload bytes still missing.
        var missing: Int
        /// The number of payload bytes already consumed, which is the phase of the masking key.
        var consumed = 0
    }

    /// The capacity in bytes above which an empty buffer is released, so that idle connections stay small.
    private static let keptCapacity = 1_024

    private let role: Role
    /// The current limits. Changes apply from the next frame on.
    package var limits: WebSocketLimits
    private var state = State.open
    /// The bytes fed; those before `consumed` have been processed.
    private var buffer: [UInt8] = []
    private var consumed = 0
    private var frame: OpenFrame?
    private var message: OpenMessage?
    /// The inflater; nil if compression was not negotiated.
    private var inflater: Inflater?

    /// - Parameter deflate: The compression parameters negotiated in the handshake.
    package init(role: Role, limits: WebSocketLimits = WebSocketLimits(), deflate: DeflateParameters? = nil) {
        self.role = role
        self.limits = limits
        inflater = deflate?.inflater(as: role)
    }

    /// The number of payload and frame bytes currently held, without zlib's window.
    package var bufferedBytes: Int { buffer.count - consumed + (message?.bytes.count ?? 0) }

    /// The memory used by zlib's state in bytes; 0 if none is allocated.
    package var inflaterBytes: Int { inflater?.heldBytes ?? 0 }

    /// Whether a message or frame is incomplete; false after a close or a violation.
    ///
    /// Undecoded bytes count too, so check this after `next()` has returned nil.
    package var isInsideMessage: Bool {
        guard case .open = state else { return false }
        return message != nil || consumed < buffer.count
    }

    /// Whether a data message is incomplete. Control frames may arrive between its frames. RFC 6455 §5.4.
    package var hasOpenMessage: Bool { message != nil }

    /// Copies `bytes`. Does nothing after a close frame or a violation.
    package mutating func feed(_ bytes: UnsafeRawBufferPointer) {
        guard case .open = state else { return }
        // Moves at most as many bytes as were consumed since the last move, so the total cost is linear.
        if consumed > 0, consumed >= buffer.count - consumed {
            buffer.removeSubrange(..<consumed)
            consumed = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// Returns the next message or control frame.
    ///
    /// - Returns: Nil if more bytes are needed, and always after a close frame.
    /// - Throws: The violation, after all complete events before it; the same error again on every further call.
    package mutating func next() throws(ProtocolViolation) -> WebSocketEvent? {
        switch state {
        case .closed: return nil
        case .failed(let violation): throw violation
        case .open: break
        }
        do throws(ProtocolViolation) {
            return try advance()
        } catch {
            end(with: .failed(error))
            throw error
        }
    }

    private mutating func advance() throws(ProtocolViolation) -> WebSocketEvent? {
        while true {
            if frame != nil {
                guard try consumePayload() else { return nil }
                if let event = try endFrame() { return event }
            }
            guard consumed < buffer.count else { return nil }
            try checkOrder(firstByte: buffer[consumed])
            let isCompressed = message?.isCompressed ?? (buffer[consumed] & FrameHeader.rsv1 != 0)
            guard
                let (header, size) = try FrameHeader.decode(
                    buffer.span.bytes.extracting(droppingFirst: consumed), as: role,
                    payloadLimit: limits.payload(of: limits.frameBytes, isCompressed: isCompressed),
                    allowsCompression: inflater != nil)
            else { return nil }
            let isWhole = buffer.count - consumed - size >= header.payloadLength
            if header.opcode.isControl {
                // Wait for the whole frame: at most 125 bytes.
                guard isWhole else { return nil }
                consume(size)
                return try consumeControlFrame(header)
            }
            let messageLimit = limits.payload(of: limits.messageBytes, isCompressed: isCompressed)
            guard header.payloadLength <= messageLimit - (message?.announced ?? 0) else {
                throw .messageTooBig(limit: limits.messageBytes)
            }
            consume(size)
            // The common case, a message in one complete frame, needs no bookkeeping.
            if isWhole, header.isFinal, message == nil, !isCompressed { return try consumeWholeMessage(header) }
            begin(header)
        }
    }

    /// Checks the rules on the order of frames, which need only the first byte of a header. RFC 6455 §5.4.
    private func checkOrder(firstByte: UInt8) throws(ProtocolViolation) {
        switch try FrameHeader.opcode(ofFirstByte: firstByte, allowsCompression: inflater != nil) {
        case .continuation:
            guard let message else { throw .unexpectedContinuation }
            guard message.fragments < limits.fragmentsPerMessage else {
                throw .tooManyFragments(limit: limits.fragmentsPerMessage)
            }
        case .text, .binary:
            guard message == nil else { throw .interleavedDataFrame }
        case .close, .ping, .pong:
            break
        }
    }

    /// Consumes the payload of a single-frame message; all of it is in the buffer.
    private mutating func consumeWholeMessage(_ header: FrameHeader) throws(ProtocolViolation) -> WebSocketEvent {
        let payload = consumeWholePayload(header)
        guard header.opcode == .text else { return .binary(payload) }
        guard UTF8Validator.isValid(payload.span) else { throw .invalidUTF8 }
        return .text(payload)
    }

    /// Consumes and unmasks a frame's payload; all of it is in the buffer.
    private mutating func consumeWholePayload(_ header: FrameHeader) -> [UInt8] {
        var payload = Array(buffer[consumed..<consumed + header.payloadLength])
        if let key = header.maskingKey { payload.withUnsafeMutableBytes { key.apply(to: $0) } }
        consume(header.payloadLength)
        return payload
    }

    private mutating func begin(_ header: FrameHeader) {
        if header.opcode == .continuation {
            message?.fragments += 1
            message?.announced += header.payloadLength
        } else {
            message = OpenMessage(
                isText: header.opcode == .text, isCompressed: header.isCompressed, announced: header.payloadLength)
        }
        frame = OpenFrame(isFinal: header.isFinal, maskingKey: header.maskingKey, missing: header.payloadLength)
    }

    /// Moves the available payload of the open frame into the open message.
    ///
    /// - Returns: Whether the payload is now complete.
    private mutating func consumePayload() throws(ProtocolViolation) -> Bool {
        guard let current = frame, let start = message?.bytes.count else { return true }
        if message?.isCompressed ?? false { return try inflatePayload(current) }
        let count = min(current.missing, buffer.count - consumed)
        message?.bytes.append(contentsOf: buffer[consumed..<consumed + count])
        if let key = current.maskingKey {
            message?.bytes.withUnsafeMutableBytes { bytes in
                key.apply(to: UnsafeMutableRawBufferPointer(rebasing: bytes[start...]), phase: current.consumed)
            }
        }
        consume(count)
        frame?.missing -= count
        frame?.consumed += count
        guard message?.validateText(from: start) == true else { throw .invalidUTF8 }
        return count == current.missing
    }

    /// Moves the available payload of a compressed frame into the open message.
    private mutating func inflatePayload(_ current: OpenFrame) throws(ProtocolViolation) -> Bool {
        let count = min(current.missing, buffer.count - consumed)
        var payload = Array(buffer[consumed..<consumed + count])
        if let key = current.maskingKey {
            payload.withUnsafeMutableBytes { key.apply(to: $0, phase: current.consumed) }
        }
        consume(count)
        frame?.missing -= count
        frame?.consumed += count
        let isWhole = count == current.missing
        // Move the message out of `self`, so that appending does not copy its bytes each time.
        guard let inflater, var open = message else { return isWhole }
        message = nil
        let limit = limits.messageBytes
        try inflater.inflate(payload.span.bytes, isLast: isWhole && current.isFinal) {
            piece throws(ProtocolViolation) in
            try open.append(inflated: piece, limit: limit)
        }
        message = open
        return isWhole
    }

    private mutating func endFrame() throws(ProtocolViolation) -> WebSocketEvent? {
        guard let ended = frame else { return nil }
        frame = nil
        guard ended.isFinal, let whole = message else { return nil }
        guard whole.isComplete else { throw .invalidUTF8 }
        message = nil
        emptyConsumedBuffer()
        return whole.isText ? .text(whole.bytes) : .binary(whole.bytes)
    }

    /// Consumes a control frame's payload; all of it is in the buffer.
    private mutating func consumeControlFrame(_ header: FrameHeader) throws(ProtocolViolation) -> WebSocketEvent? {
        let payload = consumeWholePayload(header)
        switch header.opcode {
        case .ping: return .ping(payload)
        case .pong: return .pong(payload)
        case .close:
            let event = try Self.closeEvent(payload)
            end(with: .closed)
            return event
        case .continuation, .text, .binary: return nil
        }
    }

    /// Decodes the body of a close frame, which is empty or contains a code and a reason. RFC 6455 §5.5.1.
    private static func closeEvent(_ payload: [UInt8]) throws(ProtocolViolation) -> WebSocketEvent {
        guard let high = payload.first else { return .close(nil, reason: []) }
        guard payload.count >= 2 else { throw .invalidClosePayload }
        let code = CloseCode(rawValue: UInt16(high) << 8 | UInt16(payload[1]))
        guard code.isValidOnTheWire else { throw .invalidCloseCode(code.rawValue) }
        let reason = Array(payload.dropFirst(2))
        guard UTF8Validator.isValid(reason.span) else { throw .invalidUTF8 }
        return .close(code, reason: reason)
    }

    private mutating func consume(_ count: Int) {
        consumed += count
        emptyConsumedBuffer()
    }

    /// Frees the buffer if it is empty; the next bytes get a new one.
    package mutating func releaseEmptyBuffer() {
        if buffer.isEmpty { buffer = [] }
    }

    private mutating func emptyConsumedBuffer() {
        guard consumed == buffer.count, !buffer.isEmpty else { return }
        consumed = 0
        if message == nil, buffer.capacity > Self.keptCapacity {
            buffer = []
        } else {
            buffer.removeAll(keepingCapacity: true)
        }
    }

    private mutating func end(with state: State) {
        self.state = state
        buffer = []
        consumed = 0
        frame = nil
        message = nil
        inflater = nil
    }
}

/// A complete message or control frame from the peer.
package enum WebSocketEvent: Equatable, Sendable {
    /// A text message; the bytes are valid UTF-8.
    case text([UInt8])
    case binary([UInt8])
    /// A ping of at most 125 bytes, which requires a pong with the same bytes. RFC 6455 §5.5.2.
    case ping([UInt8])
    case pong([UInt8])
    /// The last event of a connection. The code is nil for an empty close frame; the reason is valid UTF-8 of at
    /// most 123 bytes. RFC 6455 §5.5.1.
    case close(CloseCode?, reason: [UInt8])
}
