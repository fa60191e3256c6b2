import ChatModel
@_spi(_Unicode) import Swift

/// A metadata key in Unicode normalization form D. Canonically equivalent keys are the same key, on the wire and in the
/// journal. A search through thousands of channels normalizes its key only once.
struct MetadataKey: Hashable {
    private let normal: ByteText
    /// Whether the normalized key is ASCII; if not, no ASCII key is equivalent to it.
    let isASCII: Bool

    init(_ key: String) {
        var normal = key
        if !key.utf8.allSatisfy({ $0 < 0x80 }) {
            var scalars = String.UnicodeScalarView()
            for scalar in key._nfd { scalars.append(scalar) }
            normal = String(scalars)
        }
        self.normal = ByteText(normal)
        isASCII = normal.utf8.allSatisfy { $0 < 0x80 }
    }

    static func == (a: Self, b: Self) -> Bool { a.normal == b.normal }
    func hash(into hasher: inout Hasher) { normal.hash(into: &hasher) }
    var text: String { normal.text }
}

struct Metadata {
    private(set) var values: [String: String]
    /// The values by normalized key; empty while all keys are ASCII, because those are already normalized.
    private var normalValues: [MetadataKey: String] = [:]

    init(_ values: [String: String]) {
        self.values = values
        if values.keys.contains(where: { !$0.utf8.allSatisfy { $0 < 0x80 } }) { normalize(values) }
    }

    private mutating func normalize(_ values: [String: String]) {
        for (key, value) in values { normalValues[MetadataKey(key)] = value }
    }

    subscript(key: MetadataKey) -> String? {
        if !normalValues.isEmpty { return normalValues[key] }
        return key.isASCII ? values[key.text] : nil
    }

    mutating func set(_ new: [String: String]) {
        values.merge(new) { _, new in new }
        if normalValues.isEmpty { self = Metadata(values) } else { normalize(new) }
    }

    mutating func delete(_ keys: [String]) {
        for key in keys {
            values[key] = nil
            if !normalValues.isEmpty { normalValues[MetadataKey(key)] = nil }
        }
    }
}

/// A text that is hashed and compared by its bytes. `String` normalizes both texts each time, which takes microseconds
/// for a letter with many marks.
struct ByteText: Hashable {
    let text: String

    init(_ text: String) {
        var text = text
        text.makeContiguousUTF8()
        self.text = text
    }

    static func == (a: Self, b: Self) -> Bool { ByteOrder.areEqual(a.text, b.text) }

    func hash(into hasher: inout Hasher) {
        text.utf8.withContiguousStorageIfAvailable { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
