/// Turns the bytes of one direction into messages: feed what was read, then pull until nil.
///
/// Frames are unmasked, inflated and checked while they arrive, so a bad byte ends a message before its frame is
/// whole. Memory follows the bytes that came, never the length a frame announces, and what they inflate to ends at the
/// limit of a message.
package struct WebSocketReceiver: Sendable {
    private enum State {
        case open
        case closed
        case failed(ProtocolViolation)
    }

    /// A data frame whose header is consumed and whose payload is not, or not all.
    private struct OpenFrame {
        var isFinal: Bool
        var maskingKey: MaskingKey?
        /// Payload bytes still to come, and those already taken: the phase of the masking key.
        var missing: Int
        var taken = 0
    }

    /// The buffer is given back when it is empty and larger than this, so that idle connections stay small.
    private static let keptCapacity = 1_024

    private let role: Role
    /// Hold from the next frame and fragment on.
    package var limits: WebSocketLimits
    private var state = State.open
    /// What was fed; everything before `consumed` is done with.
    private var buffer: [UInt8] = []
    private var consumed = 0
    private var frame: OpenFrame?
    private var message: OpenMessage?
    /// Nil when no compression was agreed on.
    private var inflater: Inflater?

    /// - Parameter deflate: What was agreed on in the handshake.
    package init(role: Role, limits: WebSocketLimits = WebSocketLimits(), deflate: DeflateParameters? = nil) {
        self.role = role
        self.limits = limits
        inflater = deflate?.inflater(as: role)
    }

    /// Payload and frame bytes held at the moment, without zlib's window.
    package var bufferedBytes: Int { buffer.count - consumed + (message?.bytes.count ?? 0) }

    /// Whether a message or a frame has begun and not ended; never after a close or a violation.
    ///
    /// Bytes that were fed and not pulled yet count as begun, so ask after `next()` gave nil.
    package var isInsideMessage: Bool {
        guard case .open = state else { return false }
        return message != nil || consumed < buffer.count
    }

    /// Whether a data message has begun, between whose frames others may come. RFC 6455 §5.4.
    package var hasOpenMessage: Bool { message != nil }

    /// Takes a copy of `bytes`; they are ignored after a close frame or a violation.
    package mutating func feed(_ bytes: UnsafeRawBufferPointer) {
        guard case .open = state else { return }
        // Moves at most as many bytes as were consumed before: linear over the life of a connection.
        if consumed > 0, consumed >= buffer.count - consumed {
            buffer.removeSubrange(..<consumed)
            consumed = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// The next message or control frame.
    ///
    /// - Returns: Nil when more bytes are needed, and for ever after a close frame.
    /// - Throws: The rule that was broken, after all that was complete before it; the same again on every call.
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
                guard try takePayload() else { return nil }
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
                // 125 bytes at most: worth waiting for.
                guard isWhole else { return nil }
                consume(size)
                return try controlEvent(header)
            }
            let messageLimit = limits.payload(of: limits.messageBytes, isCompressed: isCompressed)
            guard header.payloadLength <= messageLimit - (message?.announced ?? 0) else {
                throw .messageTooBig(limit: limits.messageBytes)
            }
            consume(size)
            // The common case, a message in one frame that has come whole, skips the bookkeeping.
            if isWhole, header.isFinal, message == nil, !isCompressed { return try wholeMessage(header) }
            begin(header)
        }
    }

    /// The rules about the order of frames, which the first byte of a header decides. RFC 6455 §5.4.
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

    /// The event of a message whose only frame's payload is next in the buffer and whole.
    private mutating func wholeMessage(_ header: FrameHeader) throws(ProtocolViolation) -> WebSocketEvent {
        let payload = takeWholePayload(header)
        guard header.opcode == .text else { return .binary(payload) }
        guard UTF8Validator.isValid(payload.span) else { throw .invalidUTF8 }
        return .text(payload)
    }

    /// The unmasked payload of a frame that is next in the buffer and whole.
    private mutating func takeWholePayload(_ header: FrameHeader) -> [UInt8] {
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

    /// Moves what there is of the open frame's payload into the open message.
    ///
    /// - Returns: Whether the payload is whole now.
    private mutating func takePayload() throws(ProtocolViolation) -> Bool {
        guard let current = frame, let start = message?.bytes.count else { return true }
        if message?.isCompressed ?? false { return try inflatePayload(current) }
        let count = min(current.missing, buffer.count - consumed)
        message?.bytes.append(contentsOf: buffer[consumed..<consumed + count])
        if let key = current.maskingKey {
            message?.bytes.withUnsafeMutableBytes { bytes in
                key.apply(to: UnsafeMutableRawBufferPointer(rebasing: bytes[start...]), phase: current.taken)
            }
        }
        consume(count)
        frame?.missing -= count
        frame?.taken += count
        guard message?.checkText(from: start) == true else { throw .invalidUTF8 }
        return count == current.missing
    }

    /// The same for a message that is compressed.
    private mutating func inflatePayload(_ current: OpenFrame) throws(ProtocolViolation) -> Bool {
        let count = min(current.missing, buffer.count - consumed)
        var payload = Array(buffer[consumed..<consumed + count])
        if let key = current.maskingKey {
            payload.withUnsafeMutableBytes { key.apply(to: $0, phase: current.taken) }
        }
        consume(count)
        frame?.missing -= count
        frame?.taken += count
        let isWhole = count == current.missing
        // A copy of the receiver would otherwise inflate with the state of this one.
        if !isKnownUniquelyReferenced(&inflater) { inflater = try inflater?.copy() }
        // Taken out, so that its bytes are not copied with every append.
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
        giveBackEmptyBuffer()
        return whole.isText ? .text(whole.bytes) : .binary(whole.bytes)
    }

    /// The event of a control frame whose payload is next in the buffer and whole.
    private mutating func controlEvent(_ header: FrameHeader) throws(ProtocolViolation) -> WebSocketEvent? {
        let payload = takeWholePayload(header)
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

    /// Reads a close frame's body: nothing, or a code and a reason. RFC 6455 §5.5.1.
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
        giveBackEmptyBuffer()
    }

    private mutating func giveBackEmptyBuffer() {
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
