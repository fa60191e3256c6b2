/// The reason a connection closes: the first two bytes of a close frame's body. RFC 6455 §7.4.
package struct CloseCode: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    package static let normal = CloseCode(rawValue: 1000)
    package static let goingAway = CloseCode(rawValue: 1001)
    package static let protocolError = CloseCode(rawValue: 1002)
    package static let unsupportedData = CloseCode(rawValue: 1003)
    package static let invalidPayload = CloseCode(rawValue: 1007)
    package static let policyViolation = CloseCode(rawValue: 1008)
    package static let messageTooBig = CloseCode(rawValue: 1009)
    package static let internalError = CloseCode(rawValue: 1011)

    /// Whether a close frame may carry this code.
    ///
    ///     1000–1003, 1007–1014   RFC 6455 §7.4.1 and the IANA registry
    ///     3000–4999              libraries (registered) and applications (private)
    ///
    /// Excludes 1004 (reserved), 1005, 1006 and 1015 (for local reporting only), and everything else.
    package var isValidOnTheWire: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }

    /// Whether Belfry may send this code: the same rule, so that it never sends a code it would refuse.
    package var mayBeSent: Bool { isValidOnTheWire }
}
