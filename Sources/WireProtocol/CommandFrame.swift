/// The commands of one message, taken one after the other. A single one, the usual case, takes no memory of its own.
package struct CommandFrame: Sequence, IteratorProtocol {
    /// A message holds at most this many commands.
    package static let limit = 128

    private var first: ClientEnvelope?
    private var rest: ArraySlice<ClientEnvelope> = []

    /// None.
    package init() {}

    /// Those of a text message, in the JSON form.
    ///
    /// - Throws: When any of them is broken; none of the frame is carried out then.
    package init(_ text: [UInt8]) throws(JSONSyntaxError) {
        var scanner = JSONScanner(text[...])
        scanner.skipSpace()
        guard !scanner.isAtEnd else { throw .unexpectedEnd }
        while !scanner.isAtEnd {
            guard append(try ClientEnvelope(JSONFields(&scanner))) else { throw .tooMany(limit: Self.limit) }
        }
    }

    /// The same of a binary message, in the Protobuf form.
    package init(protobuf message: [UInt8]) throws(ProtobufSyntaxError) {
        let result: Result<CommandFrame, ProtobufSyntaxError> = message.withUnsafeBytes { bytes in
            do throws(ProtobufSyntaxError) {
                return .success(try CommandReader(message, bytes).commands())
            } catch {
                return .failure(error)
            }
        }
        self = try result.get()
    }

    /// - Returns: False when the frame is full.
    mutating func append(_ envelope: ClientEnvelope) -> Bool {
        guard first != nil else {
            first = envelope
            return true
        }
        guard rest.count < Self.limit - 1 else { return false }
        rest.append(envelope)
        return true
    }

    package var isEmpty: Bool { first == nil }

    package mutating func next() -> ClientEnvelope? {
        guard let envelope = first else { return nil }
        first = rest.popFirst()
        return envelope
    }
}
