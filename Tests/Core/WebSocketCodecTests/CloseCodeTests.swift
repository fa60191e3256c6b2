import Testing
import WebSocketCodec

@Suite struct CloseCodeTests {
    @Test(
        arguments: [
            (0, false), (999, false), (1000, true), (1003, true), (1004, false), (1005, false), (1006, false),
            (1007, true), (1011, true), (1014, true), (1015, false), (1016, false), (2999, false), (3000, true),
            (3999, true), (4000, true), (4999, true), (5000, false), (65_535, false),
        ] as [(UInt16, Bool)])
    func `only close codes allowed on the wire are valid`(code: UInt16, isValid: Bool) {
        #expect(CloseCode(rawValue: code).isValidOnTheWire == isValid)
        #expect(CloseCode(rawValue: code).mayBeSent == isValid)
    }

    @Test(
        arguments: [
            (.reservedBits(0x91), .protocolError), (.invalidUTF8, .invalidPayload),
            (.frameTooBig(bytes: 2, limit: 1), .messageTooBig), (.messageTooBig(limit: 1), .messageTooBig),
            (.tooManyFragments(limit: 1), .policyViolation), (.invalidCloseCode(1005), .protocolError),
        ] as [(ProtocolViolation, CloseCode)])
    func `a violation knows its close code and describes itself`(violation: ProtocolViolation, code: CloseCode) {
        #expect(violation.closeCode == code)
        #expect(violation.closeCode.mayBeSent)
        #expect(violation.description.contains(" "))
        #expect(violation.description.utf8.count <= FrameEncoder.closeReasonLimit)
    }
}
