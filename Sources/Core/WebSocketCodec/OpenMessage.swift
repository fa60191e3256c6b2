/// A message that has started but is not yet complete.
struct OpenMessage: Sendable {
    var isText: Bool
    /// Whether the payload must be inflated. RFC 7692 §6.2.
    var isCompressed: Bool
    var fragments = 1
    /// The number of payload bytes announced by its frames.
    var announced: Int
    /// The message so far: unmasked and, if compressed, inflated.
    var bytes: [UInt8] = []
    private var validator = UTF8Validator()

    init(isText: Bool, isCompressed: Bool, announced: Int) {
        self.isText = isText
        self.isCompressed = isCompressed
        self.announced = announced
    }

    /// Whether the text so far ends with a complete scalar, so that the message may end here.
    var isComplete: Bool { validator.isComplete }

    /// Validates the text from `start` on; earlier bytes are already validated.
    ///
    /// - Returns: Whether the message is valid so far.
    mutating func validateText(from start: Int) -> Bool {
        guard isText else { return true }
        var validator = validator
        let isValid = bytes.withUnsafeBytes { validator.validate(UnsafeRawBufferPointer(rebasing: $0[start...])) }
        self.validator = validator
        return isValid
    }

    /// Appends inflated bytes. Text up to the limit is validated before the limit is enforced, so that the first
    /// violation does not depend on how the bytes were split.
    mutating func append(inflated: UnsafeRawBufferPointer, limit: Int) throws(ProtocolViolation) {
        let start = bytes.count
        let fitting = min(inflated.count, max(0, limit - start))
        bytes.append(contentsOf: inflated[..<fitting])
        guard validateText(from: start) else { throw .invalidUTF8 }
        guard fitting == inflated.count else { throw .inflatedMessageTooBig(limit: limit) }
    }
}
