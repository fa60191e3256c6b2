/// Writes the binary form of protocol buffers field by field, in the order of their numbers.
///
/// Made for the one kind of frame that nearly all frames are of; everything else goes by way of the generated code, to
/// whose bytes these are equal.
struct ProtoWriter {
    private enum WireType: UInt64 {
        case varint = 0
        case fixed64 = 1
        case lengthDelimited = 2
    }

    private(set) var bytes: [UInt8] = []

    init(capacity: Int) { bytes.reserveCapacity(capacity) }

    private mutating func tag(_ field: UInt64, _ type: WireType) { varint(field << 3 | type.rawValue) }

    private mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    // MARK: Fields that are left out when they have the default value

    mutating func number(_ field: UInt64, _ value: UInt64) {
        guard value != 0 else { return }
        tag(field, .varint)
        varint(value)
    }

    mutating func fixed(_ field: UInt64, _ value: UInt64) {
        guard value != 0 else { return }
        tag(field, .fixed64)
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func text(_ field: UInt64, _ text: String) {
        if !text.isEmpty { optional(field, text) }
    }

    mutating func packed(_ field: UInt64, _ values: some Collection<UInt64>) {
        guard !values.isEmpty else { return }
        var inner = ProtoWriter(capacity: 10 * values.count)
        for value in values { inner.varint(value) }
        message(field, inner.bytes)
    }

    // MARK: Fields that are written whatever they are

    /// - Parameter text: `nil` is a field that is absent, unlike an empty one.
    mutating func optional(_ field: UInt64, _ text: String?) {
        guard var text else { return }
        tag(field, .lengthDelimited)
        text.withUTF8 {
            varint(UInt64($0.count))
            bytes.append(contentsOf: $0)
        }
    }

    mutating func message(_ field: UInt64, _ body: [UInt8]) {
        tag(field, .lengthDelimited)
        varint(UInt64(body.count))
        bytes.append(contentsOf: body)
    }
}
