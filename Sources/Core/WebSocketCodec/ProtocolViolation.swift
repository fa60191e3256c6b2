/// A violation of RFC 6455 or one of Belfry's limits by the peer. It closes the connection with ``closeCode``.
package enum ProtocolViolation: Error, Equatable, Sendable {
    /// RSV1, RSV2 or RSV3 set without a negotiated extension that defines it. The value is the frame's first byte. RFC
    /// 6455 §5.2, RFC 7692 §6.
    case reservedBits(UInt8)
    /// Opcode 3–7 or 11–15. RFC 6455 §5.2.
    case unknownOpcode(UInt8)
    /// An unmasked frame from a client, or a masked one from a server. RFC 6455 §5.1.
    case wrongMasking
    /// A length encoded in more bytes than needed. RFC 6455 §5.2.
    case nonMinimalLength
    /// A 64-bit length of 2⁶³ or more. RFC 6455 §5.2.
    case lengthHighBitSet
    /// A control frame longer than 125 bytes. `bytes` is the 7-bit length field: 126 or 127. RFC 6455 §5.5.
    case oversizedControlFrame(bytes: Int)
    /// A control frame without FIN. RFC 6455 §5.5.
    case fragmentedControlFrame
    /// A continuation frame outside a fragmented message. RFC 6455 §5.4.
    case unexpectedContinuation
    /// A text or binary frame inside a fragmented message. RFC 6455 §5.4.
    case interleavedDataFrame
    /// A frame that announces a payload larger than `WebSocketLimits.frameBytes`.
    case frameTooBig(bytes: Int, limit: Int)
    /// A message whose frames announce a payload larger than `WebSocketLimits.messageBytes`.
    case messageTooBig(limit: Int)
    /// A compressed message that inflates to more than `WebSocketLimits.messageBytes`.
    case inflatedMessageTooBig(limit: Int)
    /// A compressed message that is not valid DEFLATE data or is truncated. RFC 7692 §7.2.2.
    case invalidCompressedData
    /// A message with more frames than `WebSocketLimits.fragmentsPerMessage`.
    case tooManyFragments(limit: Int)
    /// A text message or close reason that is not valid UTF-8. RFC 6455 §8.1.
    case invalidUTF8
    /// A close frame with a one-byte body. RFC 6455 §5.5.1.
    case invalidClosePayload
    /// A close code that must not appear in a close frame. RFC 6455 §7.4.
    case invalidCloseCode(UInt16)

    /// The code of the close frame sent in response. RFC 6455 §7.4.1.
    package var closeCode: CloseCode {
        switch self {
        case .reservedBits, .unknownOpcode, .wrongMasking, .nonMinimalLength, .lengthHighBitSet,
            .oversizedControlFrame, .fragmentedControlFrame, .unexpectedContinuation, .interleavedDataFrame,
            .invalidClosePayload, .invalidCloseCode:
            .protocolError
        case .frameTooBig, .messageTooBig, .inflatedMessageTooBig:
            .messageTooBig
        case .tooManyFragments:
            .policyViolation
        case .invalidUTF8, .invalidCompressedData:
            .invalidPayload
        }
    }

    /// Whether the violation was found while inflating a message.
    package var isInflationError: Bool {
        switch self {
        case .inflatedMessageTooBig, .invalidCompressedData: true
        default: false
        }
    }
}

extension ProtocolViolation: CustomStringConvertible {
    package var description: String {
        switch self {
        case .reservedBits(let byte): "reserved bits are set in the first byte 0x\(String(byte, radix: 16))"
        case .unknownOpcode(let opcode): "opcode \(opcode) is not defined"
        case .wrongMasking: "clients must mask their frames and servers must not"
        case .nonMinimalLength: "the length is encoded in more bytes than it needs"
        case .lengthHighBitSet: "the highest bit of a 64-bit length is set"
        case .oversizedControlFrame: "a control frame is longer than 125 bytes"
        case .fragmentedControlFrame: "a control frame is fragmented"
        case .unexpectedContinuation: "a continuation frame continues no message"
        case .interleavedDataFrame: "a data frame interrupts a fragmented message"
        case .frameTooBig(let bytes, let limit): "a frame of \(bytes) bytes is larger than \(limit) bytes"
        case .messageTooBig(let limit): "a message is larger than \(limit) bytes"
        case .inflatedMessageTooBig(let limit): "a compressed message inflates to more than \(limit) bytes"
        case .invalidCompressedData: "a compressed message is not valid DEFLATE data"
        case .tooManyFragments(let limit): "a message has more than \(limit) fragments"
        case .invalidUTF8: "the text is not valid UTF-8"
        case .invalidClosePayload: "a close frame has a body of one byte"
        case .invalidCloseCode(let code): "close code \(code) must not be sent"
        }
    }
}
