/// The commands of one text frame, taken one after the other. A single one, the usual case, takes no memory of its own.
package struct CommandFrame: Sequence, IteratorProtocol {
    /// A text frame holds at most this many commands.
    package static let limit = 128

    private var first: ClientEnvelope?
    private var rest: ArraySlice<ClientEnvelope> = []

    /// None.
    package init() {}

    /// - Throws: When any of them is broken; none of the frame is carried out then.
    package init(_ text: [UInt8]) throws(JSONSyntaxError) {
        var scanner = JSONScanner(text[...])
        scanner.skipSpace()
        guard !scanner.isAtEnd else { throw .unexpectedEnd }
        first = try ClientEnvelope(JSONFields(&scanner))
        while !scanner.isAtEnd {
            guard rest.count < Self.limit - 1 else { throw .tooMany(limit: Self.limit) }
            rest.append(try ClientEnvelope(JSONFields(&scanner)))
        }
    }

    package var isEmpty: Bool { first == nil }

    package mutating func next() -> ClientEnvelope? {
        guard let envelope = first else { return nil }
        first = rest.popFirst()
        return envelope
    }
}
