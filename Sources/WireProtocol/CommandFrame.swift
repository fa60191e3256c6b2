/// The commands of one message, taken one after the other. A single one, the usual case, takes no memory of its own.
///
/// As many as fit into the message: a client that comes back subscribes to all of its rooms in one. Only so many are read
/// ahead of being carried out, so a message never takes much more than its own bytes.
package struct CommandFrame: Sequence, IteratorProtocol {
    /// So many commands are read at a time.
    package static let chunk = 128

    private var first: ClientEnvelope?
    private var rest: ArraySlice<ClientEnvelope> = []
    /// What follows those: all of it has been read once, and makes sense.
    private var unread: Unread?

    private struct Unread {
        let form: WireForm
        let message: [UInt8]
        var position: Int
    }

    /// None.
    package init() {}

    /// Those of a text message, in the JSON form.
    ///
    /// - Throws: When any of them is broken; none of the frame is carried out then.
    package init(_ text: [UInt8]) throws(JSONSyntaxError) {
        var scanner = Self.scanner(text, at: 0)
        scanner.skipSpace()
        guard !scanner.isAtEnd else { throw .unexpectedEnd }
        while !scanner.isAtEnd {
            let position = scanner.position
            let envelope = try ClientEnvelope(JSONFields(&scanner))
            if !append(envelope), unread == nil { unread = Unread(form: .json, message: text, position: position) }
        }
    }

    /// The same of a binary message, in the Protobuf form.
    package init(protobuf message: [UInt8]) throws(ProtobufSyntaxError) {
        let result: Result<CommandFrame, ProtobufSyntaxError> = message.withUnsafeBytes { bytes in
            do throws(ProtobufSyntaxError) {
                guard !bytes.isEmpty else { throw .empty }
                var frame = CommandFrame()
                let reader = CommandReader(message, bytes)
                var position = 0
                while position < bytes.count {
                    let start = position
                    let envelope = try reader.command(at: &position)
                    if !frame.append(envelope), frame.unread == nil {
                        frame.unread = Unread(form: .protobuf, message: message, position: start)
                    }
                }
                return .success(frame)
            } catch {
                return .failure(error)
            }
        }
        self = try result.get()
    }

    /// A text that holds half of a surrogate pair is grammar (RFC 8259 §8.2): it is for the command to refuse it, not for
    /// the frame.
    private static func scanner(_ text: [UInt8], at position: Int) -> JSONScanner {
        JSONScanner(text[...], at: position, allowsLoneSurrogates: true)
    }

    /// - Returns: False when as many are read as may be at a time.
    private mutating func append(_ envelope: ClientEnvelope) -> Bool {
        guard unread == nil else { return false }
        guard first != nil else {
            first = envelope
            return true
        }
        guard rest.count < Self.chunk - 1 else { return false }
        rest.append(envelope)
        return true
    }

    package var isEmpty: Bool { first == nil }

    /// Bytes of the message that are kept for commands to be read later.
    package var unreadBytes: Int { unread.map { $0.message.count - $0.position } ?? 0 }

    package mutating func next() -> ClientEnvelope? {
        guard let envelope = first else { return nil }
        first = rest.popFirst()
        if first == nil, unread != nil { readOn() }
        return envelope
    }

    private mutating func readOn() {
        guard let unread else { return }
        self.unread = nil
        switch unread.form {
        case .json:
            var scanner = Self.scanner(unread.message, at: unread.position)
            while !scanner.isAtEnd {
                let position = scanner.position
                // It was read before, and did not throw.
                guard let fields = try? JSONFields(&scanner), let envelope = try? ClientEnvelope(fields) else { return }
                guard append(envelope) else {
                    self.unread = Unread(form: .json, message: unread.message, position: position)
                    return
                }
            }
        case .protobuf:
            unread.message.withUnsafeBytes { bytes in
                let reader = CommandReader(unread.message, bytes)
                var position = unread.position
                while position < bytes.count {
                    let start = position
                    guard let envelope = try? reader.command(at: &position) else { return }
                    guard append(envelope) else {
                        self.unread = Unread(form: .protobuf, message: unread.message, position: start)
                        return
                    }
                }
            }
        }
    }
}
