/// The commands of one message, in order. A single command, the usual case, allocates no extra memory.
///
/// A message may contain any number of commands, such as the subscribes of a reconnecting client. Only a chunk of
/// commands is decoded at a time, so a message needs little more memory than its own bytes.
package struct CommandFrame: Sequence, IteratorProtocol {
    /// The number of commands decoded at a time.
    package static let chunk = 128

    private var first: ClientEnvelope?
    private var rest: ArraySlice<ClientEnvelope> = []
    /// The remaining commands, which have been validated by decoding them once.
    private var unread: Unread?

    private struct Unread {
        let form: WireForm
        let message: [UInt8]
        var position: Int
    }

    package init() {}

    /// Decodes a text message in the JSON form.
    ///
    /// - Throws: `JSONSyntaxError` if any command is invalid; then no command of the frame is executed.
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

    /// Decodes a binary message in the Protobuf form.
    ///
    /// - Throws: `ProtobufSyntaxError` if any command is invalid; then no command of the frame is executed.
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

    /// Allows lone surrogates. They conform to the JSON grammar (RFC 8259 §8.2), so only the command that contains one
    /// is refused, not the frame.
    private static func scanner(_ text: [UInt8], at position: Int) -> JSONScanner {
        JSONScanner(text[...], at: position, allowsLoneSurrogates: true)
    }

    /// - Returns: False if the chunk is full.
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

    /// The number of message bytes held for commands that are not yet decoded.
    package var unreadBytes: Int { unread.map { $0.message.count - $0.position } ?? 0 }

    package mutating func next() -> ClientEnvelope? {
        guard let envelope = first else { return nil }
        first = rest.popFirst()
        if first == nil, unread != nil { decodeNextChunk() }
        return envelope
    }

    private mutating func decodeNextChunk() {
        guard let unread else { return }
        self.unread = nil
        switch unread.form {
        case .json:
            var scanner = Self.scanner(unread.message, at: unread.position)
            while !scanner.isAtEnd {
                let position = scanner.position
                // Decoding has succeeded once before.
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
