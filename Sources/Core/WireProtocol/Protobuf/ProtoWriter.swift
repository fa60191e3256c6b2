/// A writer for Protobuf messages, field by field in ascending order.
///
/// Used on the hot paths: the journal's most frequent kind of frame, and client envelopes. All other records use the
/// generated code, which produces the same bytes.
package struct ProtoWriter {
    private enum WireType: UInt64 {
        case varint = 0
        case fixed64 = 1
        case lengthDelimited = 2
    }

    package private(set) var bytes: [UInt8] = []

    package init(capacity: Int) { bytes.reserveCapacity(capacity) }

    private mutating func tag(_ field: UInt64, _ type: WireType) { varint(field << 3 | type.rawValue) }

    /// Writes a number without a tag, such as an element of a packed field.
    package mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    // MARK: Fields omitted when they have the default value

    package mutating func number(_ field: UInt64, _ value: UInt64) {
        guard value != 0 else { return }
        tag(field, .varint)
        varint(value)
    }

    package mutating func flag(_ field: UInt64, _ value: Bool) { number(field, value ? 1 : 0) }

    package mutating func fixed(_ field: UInt64, _ value: UInt64) {
        guard value != 0 else { return }
        tag(field, .fixed64)
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    package mutating func text(_ field: UInt64, _ text: String) {
        if !text.isEmpty { optional(field, text) }
    }

    package mutating func data(_ field: UInt64, _ data: ArraySlice<UInt8>) {
        guard !data.isEmpty else { return }
        tag(field, .lengthDelimited)
        varint(UInt64(data.count))
        bytes.append(contentsOf: data)
    }

    // MARK: Fields always written

    /// - Parameter text: The text; `nil` omits the field, but an empty string is written.
    package mutating func optional(_ field: UInt64, _ text: String?) {
        guard var text else { return }
        tag(field, .lengthDelimited)
        text.withUTF8 {
            varint(UInt64($0.count))
            bytes.append(contentsOf: $0)
        }
    }

    package mutating func message(_ field: UInt64, _ body: (inout ProtoWriter) -> Void) {
        tag(field, .lengthDelimited)
        delimited(body)
    }

    /// Writes the output of `body`, prefixed with its length.
    package mutating func delimited(_ body: (inout ProtoWriter) -> Void) {
        let start = bytes.count
        bytes.append(0)
        body(&self)
        let size = bytes.count - start - 1
        var rest = UInt64(size)
        // The length is known only afterwards. Most lengths take the one reserved byte; otherwise the body is moved.
        let extra = rest < 0x80 ? 0 : (63 - rest.leadingZeroBitCount) / 7
        bytes.append(contentsOf: repeatElement(0, count: extra))
        bytes.withUnsafeMutableBytes { all in
            let body = UnsafeRawBufferPointer(rebasing: all[(start + 1)..<(start + 1 + size)])
            UnsafeMutableRawBufferPointer(rebasing: all[(start + 1 + extra)...]).copyMemory(from: body)
            for index in start..<(start + extra) {
                all[index] = UInt8(truncatingIfNeeded: rest) | 0x80
                rest >>= 7
            }
            all[start + extra] = UInt8(truncatingIfNeeded: rest)
        }
    }
}
