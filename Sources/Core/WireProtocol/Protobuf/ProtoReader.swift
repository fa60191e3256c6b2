/// A reader for Protobuf messages, with two ways to read: known fields once each, in ascending order, as written by
/// `ProtoWriter`; or any fields with `next()`.
///
/// Input is untrusted. Invalid bytes set `hasFailed`, and bytes outside the range are never read.
package struct ProtoReader {
    /// The maximum nesting depth of groups. No known message has groups, but unknown fields may.
    package static let groupLimit = 64

    private let bytes: UnsafeRawBufferPointer
    private let end: Int
    /// The offset of the next byte from the start of the bytes.
    package private(set) var offset: Int
    private var last: UInt64 = 0
    /// Whether invalid bytes were found. Values read after that are meaningless.
    package private(set) var hasFailed = false

    /// - Parameter bytes: The bytes, which must outlive the reader.
    package init(_ bytes: UnsafeRawBufferPointer) { self.init(bytes, in: 0..<bytes.count) }

    /// - Parameter range: The range of the message within the bytes.
    package init(_ bytes: UnsafeRawBufferPointer, in range: Range<Int>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count, "a message lies inside its bytes")
        self.bytes = bytes
        offset = range.lowerBound
        end = range.upperBound
    }

    package var isAtEnd: Bool { offset == end }

    /// Whether the whole message was read and is valid.
    package var isDone: Bool { isAtEnd && !hasFailed }

    /// Reads a varint of at most ten bytes; the tenth has one bit.
    package mutating func varint() -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while offset < end, shift < 64 {
            let byte = bytes[offset]
            offset += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 {
                if shift == 63, byte > 1 { break }
                return value
            }
            shift += 7
        }
        hasFailed = true
        return 0
    }

    /// Reads a length, skips that many bytes and returns their range.
    package mutating func delimited() -> Range<Int>? {
        let size = varint()
        guard !hasFailed, size <= UInt64(end - offset) else {
            hasFailed = true
            return nil
        }
        defer { offset += Int(size) }
        return offset..<offset + Int(size)
    }

    /// Consumes the next tag if it has this field number and wire type.
    ///
    /// - Returns: False, without moving, if the next tag is a different one.
    private mutating func consumeTag(_ field: UInt64, _ type: UInt64) -> Bool {
        guard !hasFailed, !isAtEnd, field > last else { return false }
        let start = offset
        guard varint() == field << 3 | type, !hasFailed else {
            offset = start
            return false
        }
        last = field
        return true
    }

    // MARK: Fields in order, defaults for absent ones

    package mutating func number(_ field: UInt64) -> UInt64 { consumeTag(field, 0) ? varint() : 0 }

    package mutating func fixed(_ field: UInt64) -> UInt64 {
        guard consumeTag(field, 1) else { return 0 }
        guard end - offset >= 8 else {
            hasFailed = true
            return 0
        }
        defer { offset += 8 }
        return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    package mutating func optional(_ field: UInt64) -> String? {
        guard let bytes = message(field) else { return nil }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            hasFailed = true
            return nil
        }
        return text
    }

    package mutating func text(_ field: UInt64) -> String { optional(field) ?? "" }

    package mutating func message(_ field: UInt64) -> UnsafeRawBufferPointer? {
        guard consumeTag(field, 2), let range = delimited() else { return nil }
        return UnsafeRawBufferPointer(rebasing: bytes[range])
    }

    // MARK: Any fields

    package enum Value: Equatable, Sendable {
        case number(UInt64)
        /// The range of the value, as offsets from the start of all bytes.
        case bytes(Range<Int>)
        /// A fixed-size number or a group.
        case other
    }

    /// Reads the next field, whatever its number.
    ///
    /// - Returns: Nil at the end and for invalid bytes.
    package mutating func next() -> (field: UInt64, value: Value)? {
        guard !hasFailed, !isAtEnd, let (field, type) = tag() else { return nil }
        let value: Value
        switch type {
        case 0: value = .number(varint())
        case 2: value = delimited().map { .bytes($0) } ?? .other
        case 3:
            skipGroup(field)
            value = .other
        default:
            skip(type)
            value = .other
        }
        return hasFailed ? nil : (field, value)
    }

    /// Reads a tag: the field number, from 1 to 2²⁹ − 1, and the wire type.
    private mutating func tag() -> (field: UInt64, type: UInt64)? {
        let tag = varint()
        guard !hasFailed, tag >> 3 > 0, tag <= UInt64(UInt32.max) else {
            hasFailed = true
            return nil
        }
        return (tag >> 3, tag & 7)
    }

    /// Skips a value that is not a group. Fails for the end of a group.
    private mutating func skip(_ type: UInt64) {
        switch type {
        case 0: _ = varint()
        case 1: skip(bytes: 8)
        case 2: _ = delimited()
        case 5: skip(bytes: 4)
        default: hasFailed = true
        }
    }

    private mutating func skip(bytes count: Int) {
        guard end - offset >= count else { return hasFailed = true }
        offset += count
    }

    /// Skips the rest of a group after its start tag.
    private mutating func skipGroup(_ field: UInt64) {
        var open = [field]
        while let innermost = open.last {
            guard !isAtEnd, let (field, type) = tag() else { return hasFailed = true }
            switch type {
            case 3 where open.count < Self.groupLimit: open.append(field)
            case 4 where field == innermost: open.removeLast()
            default:
                skip(type)
                if hasFailed { return }
            }
        }
    }
}
