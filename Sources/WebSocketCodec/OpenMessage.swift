/// A message whose first frame began and whose last has not ended.
struct OpenMessage: Sendable {
    var isText: Bool
    /// Whether its payload is to be inflated. RFC 7692 §6.2.
    var isCompressed: Bool
    var fragments = 1
    /// Payload bytes that its frames have announced.
    var announced: Int
    /// The message as far as it is known: unmasked and, where it was compressed, inflated.
    var bytes: [UInt8] = []
    private var validator = UTF8Validator()

    init(isText: Bool, isCompressed: Bool, announced: Int) {
        self.isText = isText
        self.isCompressed = isCompressed
        self.announced = announced
    }

    /// Whether it may end here.
    var isComplete: Bool { validator.isComplete }

    /// Whether the text is valid so far, its bytes before `start` being checked already.
    mutating func checkText(from start: Int) -> Bool {
        guard isText else { return true }
        var validator = validator
        let isValid = bytes.withUnsafeBytes { validator.accepts(UnsafeRawBufferPointer(rebasing: $0[start...])) }
        self.validator = validator
        return isValid
    }

    /// Takes what was inflated, up to the limit, before anything is said about it: the first rule broken is the same
    /// however the bytes were cut.
    mutating func append(inflated: UnsafeRawBufferPointer, limit: Int) throws(ProtocolViolation) {
        let start = bytes.count
        let fitting = min(inflated.count, max(0, limit - start))
        bytes.append(contentsOf: inflated[..<fitting])
        guard checkText(from: start) else { throw .invalidUTF8 }
        guard fitting == inflated.count else { throw .inflatedMessageTooBig(limit: limit) }
    }
}
