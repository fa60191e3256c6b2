/// Reads the binary form of protocol buffers field by field, as `ProtoWriter` writes it: each field once, in the order of
/// the numbers. Anything else is left to the generated code.
struct ProtoReader {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0
    private var last: UInt64 = 0
    /// Something stands there that this does not read; whatever was told after it is worth nothing.
    private(set) var hasFailed = false

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { offset == bytes.count }

    /// Whether all of it was read and made sense.
    var isDone: Bool { isAtEnd && !hasFailed }

    mutating func varint() -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while offset < bytes.count, shift < 63 {
            let byte = bytes[offset]
            offset += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        hasFailed = true
        return 0
    }

    /// Whether the next field has this number and wire type; it is not passed over otherwise.
    private mutating func takes(_ field: UInt64, _ type: UInt64) -> Bool {
        guard !hasFailed, !isAtEnd, field > last else { return false }
        let start = offset
        guard varint() == field << 3 | type, !hasFailed else {
            offset = start
            return false
        }
        last = field
        return true
    }

    // MARK: Fields, absent ones as their default

    mutating func number(_ field: UInt64) -> UInt64 { takes(field, 0) ? varint() : 0 }

    mutating func fixed(_ field: UInt64) -> UInt64 {
        guard takes(field, 1) else { return 0 }
        guard bytes.count - offset >= 8 else {
            hasFailed = true
            return 0
        }
        defer { offset += 8 }
        return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    mutating func optional(_ field: UInt64) -> String? {
        guard let bytes = message(field) else { return nil }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            hasFailed = true
            return nil
        }
        return text
    }

    mutating func text(_ field: UInt64) -> String { optional(field) ?? "" }

    mutating func message(_ field: UInt64) -> UnsafeRawBufferPointer? {
        guard takes(field, 2) else { return nil }
        let size = varint()
        guard !hasFailed, size <= UInt64(bytes.count - offset) else {
            hasFailed = true
            return nil
        }
        defer { offset += Int(size) }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + Int(size)])
    }
}
