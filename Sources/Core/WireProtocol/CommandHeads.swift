/// The ids of the commands in one message, found without decoding the commands. This makes it cheap to refuse them.
///
/// Only the structure is scanned, so even a command with invalid content has an id.
package struct CommandHeads: Sendable {
    package enum Head: Equatable, Sendable {
        case command(UInt32)
        /// The reply to a server's ping, which has no id.
        case pong
        /// Not a command. The rest of the message is not read.
        case unreadable
    }

    private let message: [UInt8]
    private let form: WireForm
    private var position = 0

    package init(_ message: [UInt8], _ form: WireForm) {
        self.message = message
        self.form = form
    }

    /// The number of bytes not yet scanned.
    package var unreadBytes: Int { message.count - position }

    /// - Returns: The next head; nil after the last command.
    package mutating func next() -> Head? {
        guard position < message.count else { return nil }
        let (head, end) = message.withUnsafeBytes { bytes in
            switch form {
            case .json: Self.json(bytes, at: position)
            case .protobuf: Self.protobuf(bytes, at: position)
            }
        }
        position = head == .unreadable ? message.count : end
        return head
    }

    // MARK: JSON

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

    private static func skippingSpace(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var index = start
        while index < bytes.count, isSpace(bytes[index]) { index += 1 }
        return index
    }

    /// - Returns: The head, and the start of the next command.
    private static func json(_ bytes: UnsafeRawBufferPointer, at start: Int) -> (Head?, end: Int) {
        var index = skippingSpace(bytes, from: start)
        guard index < bytes.count else { return (nil, index) }
        guard bytes[index] == UInt8(ascii: "{") else { return (.unreadable, index) }
        var (depth, isName, isEmpty) = (0, false, true)
        var id: UInt32?
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                isName = depth == 1
                index += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                index += 1
                guard depth == 0 else { continue }
                let end = skippingSpace(bytes, from: index)
                if isEmpty { return (.pong, end) }
                return (id.map { .command($0) } ?? .unreadable, end)
            case UInt8(ascii: ","):
                isName = depth == 1
                index += 1
            case UInt8(ascii: "\""):
                guard let end = stringEnd(bytes, from: index) else { return (.unreadable, index) }
                if isName {
                    isEmpty = false
                    if isID(bytes, index..<end) { id = number(bytes, after: end) }
                    isName = false
                }
                index = end
            default: index += 1
            }
        }
        return (.unreadable, index)
    }

    /// - Returns: The end of the string whose opening quotation mark is at `start`; nil if the string is invalid.
    private static func stringEnd(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        var index = start + 1
        while index < bytes.count {
            index = PlainText.run(in: bytes, from: index).end
            guard index < bytes.count else { return nil }
            switch bytes[index] {
            case UInt8(ascii: "\""): return index + 1
            case UInt8(ascii: "\\"): index += 2
            default: return nil
            }
        }
        return nil
    }

    /// - Parameter name: The range of the member name, including its quotation marks.
    private static func isID(_ bytes: UnsafeRawBufferPointer, _ name: Range<Int>) -> Bool {
        if name.count == 4 { return bytes[name.lowerBound + 1] == 0x69 && bytes[name.lowerBound + 2] == 0x64 }
        // Each of the two characters takes at most six bytes.
        guard (5...14).contains(name.count) else { return false }
        return (try? JSONText.string(Array(bytes[name])[...])) == "id"
    }

    private static func number(_ bytes: UnsafeRawBufferPointer, after end: Int) -> UInt32? {
        var index = skippingSpace(bytes, from: end)
        guard index < bytes.count, bytes[index] == UInt8(ascii: ":") else { return nil }
        index = skippingSpace(bytes, from: index + 1)
        var number: UInt64 = 0
        while index < bytes.count, case let digit = bytes[index] &- 0x30, digit <= 9 {
            number = number * 10 + UInt64(digit)
            guard number <= UInt64(UInt32.max) else { return nil }
            index += 1
        }
        return number > 0 ? UInt32(number) : nil
    }

    // MARK: Protobuf

    private static func protobuf(_ bytes: UnsafeRawBufferPointer, at start: Int) -> (Head?, end: Int) {
        var reader = ProtoReader(bytes, in: start..<bytes.count)
        guard let range = reader.delimited() else { return (.unreadable, start) }
        guard !range.isEmpty else { return (.pong, range.upperBound) }
        var command = ProtoReader(bytes, in: range)
        var id: UInt64 = 0
        var isEmpty = true
        while let (field, value) = command.next() {
            if field == 1, case .number(let number) = value { id = number } else { isEmpty = false }
        }
        guard command.isDone else { return (.unreadable, start) }
        if id == 0, isEmpty { return (.pong, range.upperBound) }
        guard let id = UInt32(exactly: id), id > 0 else { return (.unreadable, start) }
        return (.command(id), range.upperBound)
    }
}
